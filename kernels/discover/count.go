package discover

import (
	"math/bits"
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/elementary"
	"resolwe/internal/wire"
	"resolwe/kernels/ground"
)

// Stats are a pattern's statistics on the query atoms of known truth. Those of several subgraphs add up.
type Stats struct {
	Rows                 int64     // atoms with a grounding: the support
	Sum, Squares, OfTrue int64     // sums of the bit lengths of the counts, of their squares, and of the bit lengths at true atoms
	Hash                 [2]uint64 // of the counts of all atoms, modulo 2^64: equal for equal counts
}

// add adds an atom with a grounding.
func (s *Stats) add(count int64, atom uint64, truth bool) {
	level := int64(bits.Len64(uint64(count)))
	s.Rows++
	s.Sum += level
	s.Squares += level * level
	if truth {
		s.OfTrue += level
	}
	for i := range s.Hash {
		s.Hash[i] += elementary.Mix(elementary.Mix(atom+uint64(i)<<63) ^ uint64(count))
	}
}

// merge adds the statistics of other atoms.
func (s *Stats) merge(o *Stats) {
	s.Rows += o.Rows
	s.Sum += o.Sum
	s.Squares += o.Squares
	s.OfTrue += o.OfTrue
	for i := range s.Hash {
		s.Hash[i] += o.Hash[i]
	}
}

// gain returns roughly what the bit lengths add to the log-likelihood of the truth of a number of atoms, in nats.
func (s *Stats) gain(rows, positive int64) float64 {
	n, k, sum := float64(rows), float64(positive), float64(s.Sum)
	covariance := float64(n*float64(s.OfTrue)) - float64(sum*k)
	variance := (float64(n*float64(s.Squares)) - float64(sum*sum)) * (k * (n - k))
	if !(variance > 0) {
		return 0
	}
	return n / 2 * covariance * covariance / variance
}

// Tally holds the statistics of a list of patterns.
type Tally struct {
	Stats      []Stats // by pattern
	Rows, True []int64 // by predicate: query atoms of known truth, and true ones
}

// NewTally returns an empty tally for a number of patterns.
func (g *Grower) NewTally(patterns int) *Tally {
	n := len(g.schema.Predicates)
	return &Tally{make([]Stats, patterns), make([]int64, n), make([]int64, n)}
}

// Merge adds the statistics of other subgraphs.
func (t *Tally) Merge(o *Tally) {
	for i := range t.Stats {
		t.Stats[i].merge(&o.Stats[i])
	}
	for i := range t.Rows {
		t.Rows[i] += o.Rows[i]
		t.True[i] += o.True[i]
	}
}

// Append appends the patterns of another list, counted on the same subgraphs.
func (t *Tally) Append(o *Tally) {
	t.Stats = append(t.Stats, o.Stats...)
	t.Rows, t.True = o.Rows, o.True
}

// Code writes or reads the tally; one of the same grower is read into an empty one.
func (t *Tally) Code(c wire.Coder) {
	for i := range t.Rows {
		c.Code(&t.Rows[i], &t.True[i])
	}
	wire.Items(c, &t.Stats, 48, func(s *Stats) { c.Code(&s.Rows, &s.Sum, &s.Squares, &s.OfTrue, &s.Hash[0], &s.Hash[1]) })
}

// Batch is a set of patterns that are counted together. It is read-only and may be shared by many counters.
type Batch struct {
	grower   *Grower
	patterns []*Pattern
	program  *ground.Program
	targets  []int // predicates whose true atoms are evidence relations after those of the schema
}

// NewBatch compiles patterns.
func (g *Grower) NewBatch(patterns []*Pattern) *Batch {
	b := &Batch{grower: g, patterns: patterns}
	schema := &mln.Schema{Types: g.schema.Types, Predicates: slices.Clone(g.schema.Predicates), Kinds: g.schema.Kinds}
	for pred, p := range g.schema.Predicates {
		if p.Role.IsTarget() {
			b.targets = append(b.targets, pred)
			p.Name, p.Role = "true "+p.Name, mln.RoleEvidence
			schema.Predicates = append(schema.Predicates, p)
		}
	}
	evidence := func(pred int) (int, string) {
		if i := slices.Index(b.targets, pred); i >= 0 {
			pred = len(g.schema.Predicates) + i
		}
		return pred, schema.Predicates[pred].Name
	}
	formulas := make([]*mln.Formula, len(patterns))
	for i, p := range patterns {
		f := g.formula(p, evidence)
		implies := f.Body.(*mln.Implies)
		f.Body = &mln.And{Xs: append(slices.Clone(mln.Conjuncts(implies.L)), implies.R)}
		formulas[i] = f
	}
	b.program = ground.Compile(schema, formulas, ground.Learning)
	return b
}

// Counter counts a batch on one subgraph at a time. It belongs to one goroutine.
type Counter struct {
	batch    *Batch
	grounder *ground.Grounder
}

// NewCounter returns a counter for a batch.
func NewCounter(b *Batch) *Counter {
	return &Counter{batch: b, grounder: ground.NewGrounder(b.program)}
}

// Count counts on a subgraph of the schema. Errors are those of ground.Grounder.Ground.
func (c *Counter) Count(sub *subgraph.Subgraph) (*Tally, error) {
	b := c.batch
	net, atoms, err := c.grounder.Ground(c.extended(sub))
	if err != nil {
		return nil, err
	}
	out := b.grower.NewTally(len(b.patterns))
	data := atoms.Data()
	for _, pred := range b.targets {
		lo, hi := atoms.FreeOf(pred)
		out.Rows[pred] = int64(hi - lo)
		for a := lo; a < hi; a++ {
			if data[a] {
				out.True[pred]++
			}
			id := elementary.Mix(uint64(sub.Index)<<32 + uint64(a))
			for _, k := range net.Unary[net.UnaryStart[a]:net.UnaryStart[a+1]] {
				out.Stats[k.Formula].add(max(k.Mult, -k.Mult), id, data[a])
			}
		}
	}
	return out, nil
}

// extended returns the subgraph with the targets' true atoms as additional relations. It borrows from sub.
func (c *Counter) extended(sub *subgraph.Subgraph) *subgraph.Subgraph {
	more := make([]subgraph.Relation, len(c.batch.targets))
	for i, pred := range c.batch.targets {
		more[i].True = sub.Relations[pred].True
	}
	return sub.Extended(more)
}
