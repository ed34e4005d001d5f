package rsg_test

import (
	"errors"
	"io"
	"testing"

	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

func TestErrors_Text(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		err  error
		want string
	}{
		{
			"record", &rsg.CorruptError{Path: "x.rsg", Record: 3, Name: "s3", Section: "HEAD", Offset: 64, Err: rsg.ErrChecksum},
			"x.rsg: record 3 (s3), HEAD at byte 64: checksum mismatch",
		},
		{
			"name that is not plain", &rsg.CorruptError{Name: "a\x1b[2J", Section: "\x00\x00", Err: rsg.ErrFormat},
			`record 0 ("a\x1b[2J"), "\x00\x00" at byte 0: malformed`,
		},
		{
			"tail", &rsg.CorruptError{Path: "x", Record: -1, Section: "trailer", Offset: 9, Err: rsg.ErrTruncated},
			"x: trailer at byte 9: truncated",
		},
		{
			"archive", &rsg.CorruptError{Path: "f.db.gz", Record: 2, Section: "archive", Offset: 31, Err: io.ErrUnexpectedEOF},
			"f.db.gz: record 2, archive at byte 31: unexpected EOF",
		},
		{"duplicate", &rsg.DuplicateError{Name: "s 1"}, "two subgraphs are named s 1"},
	} {
		check.Equal(t, row.name, row.err.Error(), row.want)
	}
}

func TestErrors_MatchErrCorrupt(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		rsg.ErrMagic, rsg.ErrVersion, rsg.ErrChecksum, rsg.ErrForeign, rsg.ErrTruncated, rsg.ErrFormat,
		rsg.ErrLostNames, &rsg.CorruptError{Err: errors.New("else")},
	} {
		if !errors.Is(err, subgraph.ErrCorrupt) {
			t.Errorf("%v does not match %v", err, subgraph.ErrCorrupt)
		}
	}
}
