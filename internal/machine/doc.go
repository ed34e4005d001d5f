// Package machine says what the process may use of the machine that it runs on.
package machine
