package gain_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/kernels/features"
	"resolwe/kernels/gain"
)

// A design says how the labels of a stream come about: from the counts of an atom.
type design struct {
	name    string
	planted []int // candidates that bear on the label
	logOdds func(n []int64) float64
	flipped float64 // share of labels that are noise
}

func holds(n []int64, c int) float64 { return float64(min(n[c], 1)) }

// The designs have a base rate of about a fifth. Candidate 1 is a noisy copy of candidate 0.
var designs = []design{
	{name: "noise", logOdds: func([]int64) float64 { return -1.4 }},
	{name: "main", planted: []int{0, 2}, logOdds: func(n []int64) float64 { return -1.9 + 1.5*holds(n, 0) + 1.2*holds(n, 2) }},
	{name: "rare", planted: []int{4}, logOdds: func(n []int64) float64 { return -1.5 + 3*holds(n, 4) }},
	{name: "interaction", planted: []int{2, 3}, logOdds: func(n []int64) float64 { return -1.8 + 2.5*holds(n, 2)*holds(n, 3) }},
	{name: "redundant", planted: []int{0}, logOdds: func(n []int64) float64 { return -1.9 + 1.5*holds(n, 0) }},
	{name: "confounded", planted: []int{0, 3}, logOdds: func(n []int64) float64 { return -1.5 - 1.5*holds(n, 0) + 1.5*holds(n, 3) }},
	{name: "noisy labels", planted: []int{0, 2}, logOdds: func(n []int64) float64 { return -2.2 + 2*holds(n, 0) + 2*holds(n, 2) }, flipped: .1},
	{name: "weak", planted: []int{2}, logOdds: func(n []int64) float64 { return -1.6 + .5*holds(n, 2) }},
}

const candidates, atoms = 40, 20

// stream draws a stream of a design. Every fourth candidate from the eighth on says the same of all atoms of a subgraph; labels of a
// subgraph depend on each other where there are intercepts.
func (d *design) stream(tb testing.TB, random *rand.Rand, subgraphs int, intercepts bool) *gain.Matrix {
	tb.Helper()
	b := features.NewBuilder(candidates, features.BuilderOptions{Seed: random.Uint64()})
	for s := range subgraphs {
		sub := &features.Subgraph{Name: strconv.Itoa(s), Truth: make([]bool, atoms)}
		own := 0.
		if intercepts {
			own = random.NormFloat64()
		}
		var common [candidates]int64
		for a := range atoms {
			n := make([]int64, candidates)
			for c := range n {
				share := []float64{.4, .2, .3, .35, .02, .1, .5}[c%7]
				for n[c] = 0; n[c] < 9 && random.Float64() < share; n[c]++ {
				}
				if c >= 8 && c%4 == 0 {
					if a == 0 {
						common[c] = n[c]
					}
					n[c] = common[c]
				}
			}
			if random.Float64() < .85 {
				n[1] = n[0]
			}
			z := d.logOdds(n) + own
			sub.Truth[a] = random.Float64() < 1/(1+math.Exp(-z))
			if random.Float64() < d.flipped {
				sub.Truth[a] = random.Float64() < .5
			}
			for c, k := range n {
				sub.Cells = append(sub.Cells, features.Cell{Atom: uint32(a), Candidate: uint32(c), Count: k})
			}
		}
		check.OK(tb, b.Add(sub))
	}
	m, err := gain.NewMatrix(b, nil)
	check.OK(tb, err)
	return m
}

// tally counts what is listed.
type tally struct {
	streams, listing int // listing: those of which something is
	listed, wrong    int // formulas
	planted, found   int // candidates
}

func (t *tally) add(o *tally) {
	t.streams, t.listing = t.streams+o.streams, t.listing+o.listing
	t.listed, t.wrong = t.listed+o.listed, t.wrong+o.wrong
	t.planted, t.found = t.planted+o.planted, t.found+o.found
}

func (t *tally) share(n, of int) float64 { return float64(n) / float64(max(1, of)) }

// of counts the columns of a model.
func (t *tally) of(d *design, columns []gain.Column) {
	t.streams++
	if len(columns) > 0 {
		t.listing++
	}
	found := map[int]bool{}
	for _, c := range columns {
		t.listed++
		wrong := false
		for _, l := range c.Literals {
			if found[l.Candidate] = true; !slices.Contains(d.planted, l.Candidate) {
				wrong = true
			}
		}
		if wrong {
			t.wrong++
		}
	}
	for _, c := range d.planted {
		t.planted++
		if found[c] {
			t.found++
		}
	}
}

func (t *tally) String() string {
	return fmt.Sprintf("of %d of %d streams, %d false of %d (%.3f), %d of %d planted (%.3f)", t.listing, t.streams, t.wrong, t.listed,
		t.share(t.wrong, t.listed), t.found, t.planted, t.share(t.found, t.planted))
}

// TestEstablish plants formulas and counts how many of those listed are false, and how many are found. Two streams of 60
// subgraphs are drawn of each design or, with REPEAT, that many times two of 20, 60 and 200.
func TestEstablish(t *testing.T) {
	repeat, sizes := 1, []int{60}
	if n, err := strconv.Atoi(os.Getenv("REPEAT")); err == nil {
		repeat, sizes = n, []int{20, 60, 200}
	}
	const seed = 20
	t.Logf("seed %d", seed)
	var noise, selected, established tally
	for i := range designs {
		d := &designs[i]
		var of [2]tally
		for _, subgraphs := range sizes {
			for k := range 2 * repeat {
				m := d.stream(t, rand.New(rand.NewPCG(seed, uint64(k))), subgraphs, k%2 == 1)
				res, err := m.Select(gain.Options{Gate: 2})
				check.OK(t, err)
				findings, err := gain.SelectedOf(m, res).Establish(gain.Options{})
				check.OK(t, err)
				var found []gain.Column
				for _, f := range findings {
					found = append(found, res.Columns[f.Column])
				}
				of[0].of(d, res.Columns)
				of[1].of(d, found)
			}
		}
		t.Logf("%s: selected %v; established %v", d.name, &of[0], &of[1])
		if len(d.planted) == 0 {
			noise.add(&of[0])
			continue
		}
		selected.add(&of[0])
		established.add(&of[1])
	}
	t.Logf("planted: selected %v; established %v", &selected, &established)
	check.AtMost(t, noise.share(noise.listing, noise.streams), .05, "the share of streams of noise of which something is selected")
	check.AtMost(t, established.share(established.wrong, established.listed), .03, "the share of established formulas that are false")
	check.AtLeast(t, established.share(established.found, selected.found), .8, "the share of selected planted formulas that are established")
}
