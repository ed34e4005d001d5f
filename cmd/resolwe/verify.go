package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"

	"resolwe/format/rsg"
)

type verifyCmd struct {
	Stream string `arg:"" help:"Stream (.rsg, also .gz, .zst, .bz2); a folder of shards, or its manifest.json; - for standard input."`
}

// Help says what the command does.
func (*verifyCmd) Help() string {
	return `Checks every byte of a binary stream, or of shards, and their checksums. Damage is told with record and byte
offset, and exit status 3.

Examples:

	resolwe verify data.rsg
	resolwe verify data/manifest.json`
}

// Run verifies.
func (c *verifyCmd) Run(ctx context.Context, e *environment) error {
	if err := e.Reads(c.Stream); err != nil {
		return err
	}
	if path := manifestAt(c.Stream); path != "" {
		return c.shards(ctx, e, path)
	}
	r := e.stdin
	if c.Stream != "-" {
		f, err := os.Open(c.Stream)
		if err != nil {
			return pathError(c.Stream, err)
		}
		defer f.Close()
		r = f
	}
	in, err := rsg.Unpack(buffered(ctx, r), c.Stream)
	if err != nil {
		return err
	}
	sum, err := rsg.Verify(in, c.Stream)
	if err != nil {
		return err
	}
	return e.results(func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: sound; %d subgraphs, %d bytes\n", c.Stream, sum.Subgraphs, sum.Bytes)
		return err
	})
}

// buffered reads much at a time, until ctx is done.
func buffered(ctx context.Context, r io.Reader) *bufio.Reader {
	return bufio.NewReaderSize(readFunc(func(p []byte) (int, error) {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		return r.Read(p)
	}), 1<<20)
}

// readFunc is a function as an io.Reader.
type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }
