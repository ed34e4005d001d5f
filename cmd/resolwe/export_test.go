package main

import (
	"context"
	"io"
	"sync"

	"github.com/alecthomas/kong"

	"resolwe/internal/machine"
)

// Main is what tests run as a process.
var Main = main

// Run is the program in this process, whose memory is not bounded: others are in it too.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return run(ctx, args, stdin, stdout, stderr, func(machine.Size, string, func(error)) func() { return func() {} })
}

// Parse checks a command line without running it.
func Parse(args []string) error {
	parsing.Lock()
	defer parsing.Unlock()
	k := parser() // whose flags forget what was parsed before
	parsed = cli{}
	_ = kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		if flag, ok := node.(*kong.Flag); ok {
			flag.Set = false
		}
		return next(nil)
	})
	_, err := k.Parse(args)
	return err
}

var (
	parsing sync.Mutex
	parsed  cli
	parser  = sync.OnceValue(func() *kong.Kong { return newParser(&parsed, io.Discard, io.Discard, func(int) {}) })
)

// Read parses a command line, and prints it as a report does.
func Read(args []string) (parsed any, line string, err error) {
	c := new(cli)
	k, err := newParser(c, io.Discard, io.Discard, func(int) {}).Parse(args)
	if err != nil {
		return nil, "", err
	}
	return c, commandOf(k), nil
}

// Commands returns the model of the command line, and ValueText prints a value of it.
func Commands() *kong.Application {
	return newParser(new(cli), io.Discard, io.Discard, func(int) {}).Model
}

var ValueText = valueText
