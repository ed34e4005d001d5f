package resolwe_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"resolwe"
)

// colouring gives each node exactly one colour, and neighbours different ones.
const colouring = `adj(node, node)
target has(node, colour)
EXIST c has(x, c).
has(x, c) ^ has(x, d) => c = d.
adj(x, y) => !(has(x, c) ^ has(y, c)).
`

// ringToColour is a ring of nodes, with a number of colours.
func ringToColour(nodes, colours int) string {
	var b strings.Builder
	for c := range colours {
		fmt.Fprintf(&b, "@entity colour C%d\n", c)
	}
	for i := range nodes {
		fmt.Fprintf(&b, "adj(N%d, N%d)\n", i, (i+1)%nodes)
	}
	return b.String()
}

// Colourings of a ring are as likely as each other, however many there are: samplers stay among those of one winding number.
func TestInfer_Colourings(t *testing.T) {
	t.Parallel()
	m := parse(t, colouring)
	for _, method := range []resolwe.Method{resolwe.MethodAuto, resolwe.MethodExact} {
		rs, _ := all(t, m, inMemory(t, m, ringToColour(20, 3)), resolwe.InferOptions{Method: method})
		if d := rs[0].Diagnostics; d.Exact != 60 || d.Eliminated != 60 || d.Sampled != 0 {
			t.Errorf("%v: got %+v, want 60 atoms on a junction tree", method, d)
		}
		for i, p := range rs[0].P {
			if math.Abs(p-1./3) > 1e-12 {
				t.Errorf("%v: %s: got %v", method, rs[0].Atom(i), p)
			}
		}
	}
	nothing := func(*resolwe.Marginals) error { return nil }
	err := resolwe.Infer(t.Context(), m, inMemory(t, m, ringToColour(25, 2)), resolwe.InferOptions{}, nothing)
	if e, ok := errors.AsType[*resolwe.UnsatisfiableError](err); !ok || !strings.Contains(e.Error(), "no solution") {
		t.Errorf("two colours for a ring of 25: got %v", err)
	}
}
