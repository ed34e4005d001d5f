package main

import (
	"io"
	"os"
	"slices"

	"resolwe/cmd/internal/terminal"
)

// closedOutput is a standard output that was closed before the program began. Writing there is an error, unless the command
// has other outputs, or is one that people run for its exit status: then it warns.
type closedOutput struct {
	e    *environment
	told bool
}

// forStatus are the commands that people run for their exit status.
var forStatus = []string{"verify", "selftest", "expand", "version"}

var errClosed = usageError("standard output is closed, or a null device that is open for reading too: nothing would be left of what is printed")

// Write drops p or returns an error.
func (c *closedOutput) Write(p []byte) (int, error) {
	if len(c.e.Outputs) == 0 && !slices.Contains(forStatus, c.e.command) {
		return 0, errClosed
	}
	if !c.told {
		c.told = true
		c.e.log.Warn("standard output is closed: what is printed is lost")
	}
	return len(p), nil
}

// standard returns a standard output that people may read on a terminal, nil where it is closed.
func standard(f *os.File) io.Writer {
	if terminal.Closed(f) {
		return nil
	}
	return terminal.Open(f)
}
