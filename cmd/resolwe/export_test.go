package main

import (
	"context"
	"io"

	"resolwe/crossval"
	"resolwe/internal/machine"
)

// Main is what tests run as a process.
var Main = main

// Run is the program in this process, whose memory is not bounded: others are in it too.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return run(ctx, args, stdin, stdout, stderr, func(machine.Size, string, func(error)) func() { return func() {} })
}

// WarnShort warns of a system whose learning ended short of the optimum.
func WarnShort(stderr io.Writer, sys *crossval.Outcome) error {
	e := &environment{stderr: stderr, common: &Common{}}
	err := e.start()
	e.shortOfOptimum(sys)
	return err
}
