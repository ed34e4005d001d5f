package rsg_test

import (
	"bytes"
	"fmt"
	"testing"

	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

// TestWriter_SharedName refuses two entities of one name.
func TestWriter_SharedName(t *testing.T) {
	t.Parallel()
	w, err := rsg.NewWriter(new(bytes.Buffer), social(), rsg.WriterOptions{})
	check.OK(t, err)
	s := &subgraph.Subgraph{
		Name: "s", Fold: -1, Domains: []subgraph.Domain{{Size: 2, Names: same{}}, {}},
		Relations: make([]subgraph.Relation, len(social().Predicates)),
	}
	if err := w.Write(s); err == nil || fmt.Sprint(err) != "subgraph s, type person: two entities of one type share a name" {
		t.Errorf("got %v", err)
	}
}

// same is names that are all alike.
type same struct{}

func (same) Name(uint32) string           { return "Anna" }
func (same) Lookup(string) (uint32, bool) { return 0, true }
