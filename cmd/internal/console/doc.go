// Package console is how programs end: their exit statuses, and their messages to people.
package console
