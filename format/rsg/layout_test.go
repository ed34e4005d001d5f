package rsg_test

import (
	"bytes"
	"testing"

	"resolwe/format/mln"
	"resolwe/format/rsg"
	"resolwe/internal/test/check"
)

func TestWords_EveryHostReadsTheSame(t *testing.T) {
	t.Parallel()
	want := []uint32{0, 1, 0x01020304, 0xfffffffe}
	b := rsg.AppendWords(nil, want)
	if !bytes.Equal(b[8:12], []byte{4, 3, 2, 1}) {
		t.Errorf("got % x, want little-endian words", b)
	}
	for shift := range 4 {
		moved := append(make([]byte, shift, 32), b...)[shift:]
		check.Slices(t, rsg.Words(moved), want, "shift %d", shift)
		check.Slices(t, rsg.DecodeWords(moved), want, "shift %d, copied", shift)
	}
}

// A type is of numbers because of its name in the file only where that says so.
func TestSchema_Kinds(t *testing.T) {
	t.Parallel()
	schema := &mln.Schema{
		Types:      []string{"t", "points", "number", "days"},
		Kinds:      []bool{false, true, false, true},
		Predicates: []mln.Predicate{{Name: "p", Args: []int{0, 1}, Role: mln.RoleEvidence}, {Name: "n", Args: []int{2, 3}, Role: mln.RoleEvidence}},
	}
	r, err := rsg.NewReader(bytes.NewReader(encode(t, schema, rsg.WriterOptions{})), "x.rsg", rsg.ReaderOptions{})
	check.OK(t, err)
	check.Equal(t, "result", r.Schema(), schema)
	var out bytes.Buffer
	schema.Types[2] = "points"
	check.Fails(t, check.Err(rsg.NewWriter(&out, schema, rsg.WriterOptions{})), "a kind and a type of one name")
}
