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
	in, err := rsg.Unpack(bufio.NewReaderSize(r, 1<<20), c.Stream)
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
