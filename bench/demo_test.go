package bench_test

import (
	"fmt"
	"os"
	"slices"
	"sort"
	"strconv"
	"testing"

	"resolwe/bench"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/selection"
)

func TestExplore(t *testing.T) {
	d := bench.NewDemo()
	m, err := mln.Parse("demo.mln", []byte(d.Model), mln.Options{})
	if err != nil {
		t.Fatal(err)
	}
	cands, _, err := mln.Candidates(m)
	if err != nil {
		t.Fatal(err)
	}
	task, err := selection.Compile(&m.Schema, cands, selection.Paper)
	if err != nil {
		t.Fatal(err)
	}
	n := 200
	if s := os.Getenv("SEEDS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	vals := map[string][]float64{}
	tot := map[string]float64{}
	for seed := range n {
		c := selection.NewCounter(task)
		for s, err := range d.Generate(&m.Schema, bench.DemoOptions{Subgraphs: 30, Seed: uint64(seed + 1)}) {
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Add(s); err != nil {
				t.Fatal(err)
			}
			if seed < 1 {
				p := m.Schema.Predicate("modifies")
				tot["T"] += float64(s.Relations[p].True.Len())
				tot["F"] += float64(s.Relations[p].False.Len())
			}
		}
		for i, cand := range cands {
			add := func(f *mln.Formula, s *selection.Stat) {
				k := mln.FormatFormula(f)
				vals[k] = append(vals[k], s.Mean.Value())
				tot[k] += float64(s.Selected) / float64(n)
			}
			add(cand.Joint(), &c.Totals[i].Joint)
			for k := range c.Totals[i].Conditional {
				add(cand.Conditional(k), &c.Totals[i].Conditional[k])
			}
		}
	}
	fmt.Println(len(cands), tot["T"], tot["F"])
	keys := []string{}
	for k := range vals {
		slices.Sort(vals[k])
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return vals[keys[i]][n/2] > vals[keys[j]][n/2] })
	for _, k := range keys {
		v := vals[k]
		fmt.Printf("%.3f %.3f %.3f %.3f %.3f n=%.0f %s\n", v[0], v[n/20], v[n/2], v[n*19/20], v[n-1], tot[k], k)
	}
	_ = subgraph.True
}
