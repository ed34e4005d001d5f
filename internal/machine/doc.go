// Package machine determines how much memory the process may use, and enforces a limit.
package machine
