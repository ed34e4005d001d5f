package grow_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/grow"
	"resolwe/internal/test/check"
)

// store answers look-ups from subgraphs in memory, in order of the calls of centers, whose names it does not have: it tells them by the
// look-ups themselves.
type store struct {
	schema *mln.Schema
	sub    *subgraph.Subgraph
	calls  map[string]bool
	facts  int
}

func (s *store) Fetch(_ context.Context, lookups []grow.Lookup) (out []grow.Answer, _ error) {
	for _, l := range lookups {
		var a grow.Answer
		pred := s.schema.Predicate(l.Relation)
		table := &s.sub.Relations[pred].True
		for row := range table.Len() {
			fact, fits := []string{l.Relation}, true
			for i, col := range table.Cols {
				name := s.sub.Domains[s.schema.Predicates[pred].Args[i]].Names.Name(col[row])
				fits = fits && (l.Args[i] == nil || *l.Args[i] == name)
				fact = append(fact, name)
			}
			if fits {
				a.Facts = append(a.Facts, fact)
			}
		}
		at := slices.IndexFunc(l.Args, func(a *string) bool { return a != nil })
		key := fmt.Sprint(l.Relation, at, *l.Args[at])
		if s.calls[key] {
			return nil, errors.New("asked again: " + key)
		}
		s.calls[key] = true
		s.facts += len(a.Facts)
		out = append(out, a)
	}
	return out, nil
}

// retold returns a subgraph with other labels and, unless kept, without its evidence.
func retold(t *testing.T, m *resolwe.Model, sub *subgraph.Subgraph, rng *rand.Rand, kept bool) *subgraph.Subgraph {
	t.Helper()
	b := subgraph.NewBuilder(m.Schema)
	b.Reset(sub.Name, sub.Center, -1)
	for typ, d := range sub.Domains {
		for id := range uint32(d.Size) {
			b.Entity(typ, d.Names.Name(id))
		}
	}
	for pred := range m.Schema.Predicates {
		r := &sub.Relations[pred]
		isTarget := m.Schema.Predicates[pred].Role != mln.RoleEvidence
		for _, table := range []*subgraph.Table{&r.True, &r.False} {
			for row := range table.Len() {
				args, truth := make([]uint32, len(table.Cols)), subgraph.True
				for i, col := range table.Cols {
					args[i] = col[row]
				}
				if isTarget && rng.IntN(2) == 0 {
					truth = subgraph.False
				}
				if isTarget || kept {
					b.Add(pred, args, truth)
				}
			}
		}
	}
	out, err := b.Finish()
	check.OK(t, err)
	return out
}

// Of two streams that differ in labels, and in all evidence that was not asked for, a policy asks the same and predicts the same. Replays of other
// labels fetch the same.
func TestRun_Unknown(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	m, p := learn(t, 2, seed)
	pairs := check.Networks(t, 10)
	subs := subgraphs(t, m, pairs, seed+1)
	others := make([]*subgraph.Subgraph, pairs)
	for i, sub := range subs {
		others[i] = retold(t, m, sub, rng, true)
		var grown [2]string
		for k, of := range []*subgraph.Subgraph{sub, retold(t, m, sub, rng, false)} {
			s := &store{m.Schema, sub, map[string]bool{}, 0}
			check.OK(t, grow.Run(t.Context(), p, resolwe.NewStream(p.Model(), []*subgraph.Subgraph{of}), s, grow.RunOptions{All: i%3 == 0}, func(g *grow.Grown) error {
				probabilities := map[string]float64{} // atoms of either label follow one another
				for a, atom := range g.Atoms {
					probabilities[atom] = g.P[a]
				}
				grown[k] = fmt.Sprint(g.Subgraph, g.Steps, g.Spent, probabilities, slices.Sorted(maps.Keys(s.calls)))
				return nil
			}))
		}
		check.Equal(t, "grown", grown[0], grown[1])
	}
	var dots [2]string
	for k, of := range [][]*subgraph.Subgraph{subs, others} {
		ev, err := grow.Evaluate(t.Context(), p, resolwe.NewStream(p.Model(), of), grow.EvalOptions{})
		check.OK(t, err)
		dots[k] = fmt.Sprint(ev.Policy.Calls, ev.Policy.Facts, ev.Policy.Cost)
	}
	check.Equal(t, "fetched by replays", dots[0], dots[1])
}

// The example's store, an SQLite database behind a command, is asked exactly what eval counts, and counts it, too.
func TestRun_SQLite(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3")
	}
	m, p := learn(t, 2, 3)
	for _, sub := range subgraphs(t, m, 3, 8) {
		var facts strings.Builder
		fmt.Fprintf(&facts, "@subgraph %s center=%s\n", sub.Name, sub.Center)
		for pred := range m.Schema.Predicates {
			r := &m.Schema.Predicates[pred]
			table := &sub.Relations[pred].True
			for row := range table.Len() {
				var args []string
				for i, col := range table.Cols {
					args = append(args, sub.Domains[r.Args[i]].Names.Name(col[row]))
				}
				fmt.Fprintf(&facts, "%s(%s)\n", r.Name, strings.Join(args, ", "))
			}
		}
		dir := t.TempDir()
		db := filepath.Join(dir, "facts.sqlite")
		check.OK(t, os.WriteFile(filepath.Join(dir, "facts.db"), []byte(facts.String()), 0o600))
		check.OK(t, exec.Command("python3", "../examples/grow/store.py", db, "--load", filepath.Join(dir, "facts.db")).Run())
		stream := resolwe.NewStream(p.Model(), []*subgraph.Subgraph{sub})
		ev, err := grow.Evaluate(t.Context(), p, stream, grow.EvalOptions{})
		check.OK(t, err)
		for _, all := range []bool{false, true} {
			want, said := ev.Policy, bytes.Buffer{}
			if all {
				want = ev.Full
			}
			c, err := grow.NewCommand(t.Context(), "python3 ../examples/grow/store.py "+db, time.Minute, &said)
			check.OK(t, err)
			check.OK(t, grow.Run(t.Context(), p, stream, c, grow.RunOptions{All: all}, func(g *grow.Grown) error {
				check.Equal(t, "calls and facts", fmt.Sprint(g.Calls, g.Facts), fmt.Sprint(want.Calls, want.Facts))
				return nil
			}))
			check.OK(t, c.Close(false))
			check.Equal(t, "what the store counts", said.String(), fmt.Sprintf("%v calls\n", want.Calls))
		}
	}
}

// A command that does not do what it should is an error that names the line, and nothing is predicted.
func TestCommand_Faults(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh")
	}
	m, p := learn(t, 2, 3)
	subs := subgraphs(t, m, 3, 8)
	for _, tt := range []struct{ command, want string }{
		{`read x; exit 3`, "line 1: the command ended before it had answered: exit status 3"},
		{`read x; echo '{"id":1,"facts":[]}'; sleep 60`, "none came within"},
		{`read x; echo '{"id":2,"facts":[]}'; sleep 60`, "line 1: look-up 2 is answered; 1 is next"},
		{`read x; echo '{"id":1,"facts":[]}'; echo '{"id":1,"facts":[]}'; sleep 60`, "line 2: look-up 1 is answered again; 2 is next"},
		{`read x; echo 'Hello'; sleep 60`, `line 1: not an object with an id and facts: "Hello"`},
		{`read x; echo '{"id":1}'; sleep 60`, "line 1: an answer has an id and facts"},
		{`i=0; read x; while [ $i -lt 200 ]; do i=$((i+1)); echo "{\"id\":$i,\"facts\":[[\"likes\",\"A\"]]}"; done; cat >/dev/null`, `line 1: ["likes" "A"] is not a fact of a predicate of the policy`},
		{`i=0; read x; while [ $i -lt 200 ]; do i=$((i+1)); echo "{\"id\":$i,\"facts\":[[\"shiny\",\"A\"]]}"; done; cat >/dev/null`, `line 1: ["shiny" "A"] is not what look-up 1 asked for`},
	} {
		timeout := time.Minute
		if tt.want == "none came within" {
			timeout = 100 * time.Millisecond
		}
		c, err := grow.NewCommand(t.Context(), tt.command, timeout, nil)
		check.OK(t, err)
		n := 0
		err = grow.Run(t.Context(), p, resolwe.NewStream(p.Model(), subs), c, grow.RunOptions{All: true}, func(*grow.Grown) error { n++; return nil })
		check.OK(t, c.Close(true))
		if e := (*grow.AnswerError)(nil); !errors.As(err, &e) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.command, err, tt.want)
		}
		check.Equal(t, "predicted centers", n, 0)
	}
}

// BenchmarkRun is a thousand centers with answers from memory.
func BenchmarkRun(b *testing.B) {
	m, p := learn(b, 0, 3)
	subs := subgraphs(b, m, 1000, 8)
	stream := resolwe.NewStream(p.Model(), subs)
	empty := fetcher(func(l []grow.Lookup) []grow.Answer { return make([]grow.Answer, len(l)) })
	for b.Loop() {
		check.OK(b, grow.Run(b.Context(), p, stream, empty, grow.RunOptions{All: true}, func(*grow.Grown) error { return nil }))
	}
	b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "centers/s")
}

type fetcher func([]grow.Lookup) []grow.Answer

func (f fetcher) Fetch(_ context.Context, l []grow.Lookup) ([]grow.Answer, error) { return f(l), nil }
