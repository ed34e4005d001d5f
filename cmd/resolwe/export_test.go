package main

import (
	"context"
	"io"

	"resolwe/internal/machine"
)

// Main is what tests run as a process, and SelftestDocument what a self-test prints.
var (
	Main             = main
	SelftestDocument = selftestDocument
)

// Run is the program in this process, whose memory is not bounded: others are in it too.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return run(ctx, args, stdin, stdout, stderr, func(machine.Size, string, func(error)) func() { return func() {} })
}
