package console

import (
	"os"
	"os/signal"
	"syscall"
)

// Signals returns the signals that end a program after it has cleaned up: SIGINT, SIGTERM, and SIGHUP unless it runs under nohup.
func Signals() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}
