package main

import (
	"bufio"
	"context"
	"fmt"
	"os"

	"resolwe/format/archive"
	"resolwe/format/rsg"
	"resolwe/internal/printable"
)

type verifyCmd struct {
	Stream string `arg:"" help:"Stream (.rsg, also .gz, .zst, .bz2); a folder of shards, or its manifest.json; - for standard input."`
}

func (*verifyCmd) Help() string {
	return `Checks every byte of a binary stream or of shards, checksums included, and that its records are those that were written, in their
order, if it has a digest, which older versions did not write. Damage is reported with its record and byte offset, and the exit
status is 3.

Examples:

	resolwe verify data.rsg
	resolwe verify data/manifest.json`
}

func (c *verifyCmd) Run(ctx context.Context, e *environment) error {
	if err := e.Reads(c.Stream); err != nil {
		return err
	}
	if path := manifestAt(c.Stream); path != "" {
		return c.shards(ctx, e, path)
	}
	var sum rsg.Summary
	err := e.reading(ctx, c.Stream, func(r *bufio.Reader) error {
		in, err := archive.NewReader(r, c.Stream)
		if err == nil {
			sum, err = rsg.Verify(in, c.Stream)
		}
		return err
	})
	if err != nil {
		return err
	}
	note := ""
	if !sum.Digest {
		note = withoutDigest
	}
	return e.text(fmt.Sprintf("%s: sound; %s, %d bytes%s\n", c.Stream, printable.Count(sum.Subgraphs, "subgraph"), sum.Bytes, note))
}

// withoutDigest says what verify cannot check in a stream of an older version.
const withoutDigest = "; no digest, as an older version wrote it: records of another stream would not be noticed (pack writes one)"

// reading reads a file, or standard input for "-", with a large buffer, until ctx is done.
func (e *environment) reading(ctx context.Context, path string, read func(*bufio.Reader) error) error {
	r := e.stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return pathError(path, err)
		}
		defer f.Close()
		r = f
	}
	return read(bufio.NewReaderSize(readFunc(func(p []byte) (int, error) {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		return r.Read(p)
	}), 1<<20))
}

// readFunc is a function as an io.Reader.
type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }
