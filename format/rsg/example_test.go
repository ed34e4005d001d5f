package rsg_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
)

// Two subgraphs go into a stream and come back through both readers.
func Example() {
	schema := &mln.Schema{
		Types: []string{"person"},
		Predicates: []mln.Predicate{
			{Name: "friends", Args: []int{0, 0}, Role: mln.RoleEvidence},
			{Name: "smokes", Args: []int{0}, Role: mln.RoleTarget},
		},
	}
	var stream bytes.Buffer
	w, err := rsg.NewWriter(&stream, schema, rsg.WriterOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	b := subgraph.NewBuilder(schema)
	for fold, names := range [][2]string{{"Anna", "Bob"}, {"Bob", "Carl"}} {
		b.Reset(fmt.Sprint("s", fold), names[0], fold)
		x, y := b.Entity(0, names[0]), b.Entity(0, names[1])
		b.Add(0, []uint32{x, y}, subgraph.True)
		b.Add(1, []uint32{y}, subgraph.Unknown)
		s, err := b.Finish()
		if err == nil {
			err = w.Write(s)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
		return
	}

	opt := rsg.ReaderOptions{Names: true}
	f, err := rsg.Open(stream.Bytes(), "stream", opt)
	if err != nil {
		fmt.Println(err)
		return
	}
	i, _ := f.Find("s1")
	fmt.Println("s1 is subgraph", i, "of", f.Len())

	r, err := rsg.NewReader(&stream, "stream", opt)
	for err == nil {
		var s *subgraph.Subgraph
		if s, err = r.Next(); err == nil {
			err = facts.Write(os.Stdout, s, r.Schema())
		}
	}
	if !errors.Is(err, io.EOF) {
		fmt.Println(err)
	}
	// Output:
	// s1 is subgraph 1 of 2
	// @subgraph s0 center=Anna fold=0
	// @entity person Anna Bob
	// friends(Anna, Bob)
	// ?smokes(Bob)
	// @subgraph s1 center=Bob fold=1
	// @entity person Bob Carl
	// friends(Bob, Carl)
	// ?smokes(Carl)
}
