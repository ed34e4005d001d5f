package rsg_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

// dictionary numbers names; its numbers are not those of mention.
type dictionary map[string]uint32

// sourced are names that come from a dictionary.
type sourced struct {
	subgraph.Names
	dict    *dictionary
	numbers []uint32
}

func (s *sourced) Source() (any, []uint32) { return s.dict, s.numbers }

// from has the names of a domain come from a dictionary.
func (d *dictionary) from(domain subgraph.Domain) subgraph.Domain {
	s := &sourced{Names: domain.Names, dict: d}
	for i := range domain.Size {
		name := domain.Names.Name(uint32(i))
		if _, ok := (*d)[name]; !ok {
			(*d)[name] = uint32(3*len(*d) ^ 5)
		}
		s.numbers = append(s.numbers, (*d)[name])
	}
	return subgraph.Domain{Size: domain.Size, Names: s}
}

// TestWriter_Sourced writes subgraphs whose names come from a dictionary, now and then from another, or from none: the
// bytes are those of the names by themselves.
func TestWriter_Sourced(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var want, got bytes.Buffer
	plain, err := rsg.NewWriter(&want, social(), rsg.WriterOptions{})
	check.OK(t, err)
	other, err := rsg.NewWriter(&got, social(), rsg.WriterOptions{})
	check.OK(t, err)
	b := newBuilder(social())
	dicts := []*dictionary{{}, {}}
	for i := range 60 {
		s := random(t, b, rng, i, 1+rng.IntN(30))
		check.OK(t, plain.Write(s))
		for typ := range s.Domains {
			if k := rng.IntN(12); k < 11 {
				s.Domains[typ] = dicts[k/10].from(s.Domains[typ])
			}
		}
		check.OK(t, other.Write(s))
	}
	check.OK(t, plain.Close())
	check.OK(t, other.Close())
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Error("got other bytes with names from a dictionary")
	}
}

// TestWriter_SharedName refuses two entities of one name, also where a dictionary gives both one number.
func TestWriter_SharedName(t *testing.T) {
	t.Parallel()
	for _, twice := range []subgraph.Names{same{}, &sourced{Names: same{}, dict: &dictionary{}, numbers: []uint32{4, 4}}} {
		w, err := rsg.NewWriter(new(bytes.Buffer), social(), rsg.WriterOptions{})
		check.OK(t, err)
		s := &subgraph.Subgraph{
			Name: "s", Fold: -1, Domains: []subgraph.Domain{{Size: 2, Names: twice}, {}},
			Relations: make([]subgraph.Relation, len(social().Predicates)),
		}
		if err := w.Write(s); err == nil || fmt.Sprint(err) != "subgraph s, type person: two entities of one type share a name" {
			t.Errorf("got %v", err)
		}
	}
}

// same is names that are all alike.
type same struct{}

func (same) Name(uint32) string           { return "Anna" }
func (same) Lookup(string) (uint32, bool) { return 0, true }
