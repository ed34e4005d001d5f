package resolwe

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strings"
	"time"

	"resolwe/format/checkpoint"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/wire"
	"resolwe/kernels/discover"
	"resolwe/kernels/gain"
)

// DiscoverOptions are the parameters of Discover. The zero value is the default.
type DiscoverOptions struct {
	Subgraphs int           // k1: how many to look at, those of least hash of seed and name; at least 1; 0 for 100
	Length    int           // literals beside the head at most, 1 to 6, and one more that closes an open path; 0 for 3
	Seed      uint64        // of the sample of subgraphs
	Support   int           // query atoms with a grounding, at least 1; 0 for 20
	Max       int           // candidates at most, 1 to 100,000; 0 for 5,000
	Products  bool          // conjunctions too of parts that share no variable but the head's, which rules of selection by gain make anyway
	Memory    int64         // bytes that selection on the candidates may take, at least 0; of more candidates those stay that tell more; 0 for 8 GiB
	Budget    time.Duration // after which no longer candidates are looked for, at least 0; 0 is no limit
	Run       Run

	// Checkpoints say how the counts are saved, and the discovery goes on after it was ended or its budget was up. Due is asked
	// after each batch of patterns.
	Checkpoints Checkpoints
}

// defaultMemory is the same on every machine, as what is found depends on it.
const defaultMemory = 8 << 30

func (o *DiscoverOptions) fill() error {
	o.Subgraphs, o.Length = cmp.Or(o.Subgraphs, 100), cmp.Or(o.Length, 3)
	o.Support, o.Max = cmp.Or(o.Support, 20), cmp.Or(o.Max, 5000)
	o.Memory = cmp.Or(o.Memory, defaultMemory)
	switch {
	case o.Subgraphs < 1:
		return &OptionError{"DiscoverOptions.Subgraphs", "at least 1"}
	case o.Length < 1 || o.Length > 6:
		return &OptionError{"DiscoverOptions.Length", "1 to 6"}
	case o.Support < 1:
		return &OptionError{"DiscoverOptions.Support", "at least 1"}
	case o.Max < 1 || o.Max > 100_000:
		return &OptionError{"DiscoverOptions.Max", "1 to 100000"}
	case o.Memory < 0:
		return &OptionError{"DiscoverOptions.Memory", "at least 0"}
	case o.Budget < 0:
		return &OptionError{"DiscoverOptions.Budget", "at least 0"}
	}
	return nil
}

// Validate returns an *OptionError for the first option that is out of range.
func (o *DiscoverOptions) Validate() error {
	filled := *o
	return filled.fill()
}

// Identity stands for all that candidates depend on beside the model and the stream.
func (o *DiscoverOptions) Identity() string {
	filled := *o
	_ = filled.fill() // what is out of range stays so
	most, _ := filled.most()
	return fmt.Sprint(filled.Subgraphs, filled.Length, filled.Support, most, filled.Products, filled.Budget, filled.Seed)
}

// most names how many candidates there may be, and the option to blame: as before memory was a bound, where that is the default.
func (o *DiscoverOptions) most() (value any, field string) {
	if o.Memory == defaultMemory {
		return o.Max, "DiscoverOptions.Max"
	}
	return fmt.Sprintf("%d in %d bytes", o.Max, o.Memory), "DiscoverOptions.Memory"
}

// Discovery is what Discover found.
type Discovery struct {
	Model      *Model               // the formulas of the one given, and the candidates that are not among them
	Candidates []discover.Candidate // by length, then canonical text; after them counts and aggregates of rows, likewise
	Subgraphs  int                  // that were looked at
	Length     int                  // up to which candidates were looked for
	Warnings   []mln.Diagnostic
}

// Discover finds candidates for selection out of a model's declarations and a sample of a stream's subgraphs: conjunctions of
// evidence literals, and at most one of a target predicate, that hang on the variables of a query atom; of those with equal counts
// on all atoms the shortest. Beside them counts and aggregates of the rows that belong to these variables, whose thresholds say more
// of the truth than chance does. Constants are the center, and the entities of types that have few, for which the stream must have
// been opened with StreamOptions.Names. It reads the stream several times over: of a pipe the error is ErrReadOnce. An option
// out of range is an *OptionError, a checkpoint of another run a *CheckpointError; others are those of reading and
// of saving.
func Discover(ctx context.Context, m *Model, s *Stream, opt DiscoverOptions) (*Discovery, error) {
	if err := cmp.Or(m.check(s), opt.fill()); err != nil {
		return nil, err
	}
	if s.ReadOnce() {
		return nil, ErrReadOnce
	}
	some, times, err := s.sample(ctx, opt.Seed, opt.Subgraphs)
	if err != nil {
		return nil, err
	}
	d := &discovering{model: m, stream: some, times: times, opt: &opt, out: &Discovery{}, shape: sha256.New()}
	limited := ctx
	if opt.Budget > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, opt.Budget)
		defer cancel()
	}
	err = d.grow(limited)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		d.warn("the time was up: candidates have at most %d literals beside the head", d.out.Length)
		err = nil
	}
	if err != nil {
		return nil, err
	}
	d.finish()
	return d.out, nil
}

// sample returns at most n subgraphs of a stream, those with the smallest hash of seed and name, and the ratio of all subgraphs to these.
func (s *Stream) sample(ctx context.Context, seed uint64, most int) (*Stream, int, error) {
	entries, err := s.Entries(ctx)
	if err != nil || len(entries) <= most {
		return s, 1, err
	}
	slices.SortFunc(entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(gain.Hash(seed, a.Name), gain.Hash(seed, b.Name)), strings.Compare(a.Name, b.Name))
	})
	positions := make([]int, most)
	for i := range positions {
		positions[i] = entries[i].Index
	}
	slices.Sort(positions)
	return s.Pick(positions), (len(entries) + most - 1) / most, nil
}

// discovering is a discovery at work.
type discovering struct {
	model  *Model
	stream *Stream
	opt    *DiscoverOptions
	grower *discover.Grower  // nil until the data were looked at
	batch  int               // patterns that are counted together
	counts []*discover.Tally // by length; the last may be of the first patterns only
	shape  hash.Hash         // of the subgraphs' names and sizes
	rows   int               // query atoms, about
	times  int               // how many times as many subgraphs the whole stream has
	found  []screened        // aggregates
	out    *Discovery
}

func (d *discovering) warn(format string, args ...any) {
	d.out.Warnings = append(d.out.Warnings, mln.Diagnostic{Msg: fmt.Sprintf(format, args...)})
}

// cellBytes is about how many bytes selection by gain takes for each query atom that a candidate has a grounding for, while its folds'
// paths grow side by side.
const cellBytes = 48

// mostCells is about how many counts a worker keeps at once, mostBatch how many patterns share an operator graph.
const (
	mostCells = 1 << 22
	mostBatch = 256
)

// grow finds candidates length by length.
func (d *discovering) grow(ctx context.Context) error {
	o := discover.NewObserver(d.model.Schema)
	atoms := 1 // of a subgraph
	err := Each(ctx, d.stream, d.opt.Run, func(sub *subgraph.Subgraph) error {
		d.out.Subgraphs++
		n := atomsOf(d.model.Schema, sub)
		atoms, d.rows = max(atoms, n), d.rows+n
		o.Add(sub)
		writeShape(d.shape, sub)
		return nil
	})
	if err != nil {
		return err
	}
	d.batch = min(max(mostCells/atoms, 1), mostBatch)
	d.grower = discover.NewGrower(d.model.Schema, o, discover.Options{
		Length: d.opt.Length, Support: int64(d.opt.Support), Max: d.opt.Max, Products: d.opt.Products,
		Cells: max(1, d.opt.Memory/cellBytes/int64(d.times)),
	})
	if err := d.resume(); err != nil {
		return err
	}
	length := 0
	for patterns := d.grower.Next(); len(patterns) > 0; patterns = d.grower.Next() {
		if err := d.level(ctx, length, patterns); err != nil {
			return err
		}
		d.out.Length = patterns[0].Len()
		length++
	}
	if length < len(d.counts) {
		return checkpoint.ErrDamaged
	}
	return cmp.Or(d.save(), d.aggregates(ctx))
}

// level counts what is left of the patterns of a length, the first of which is 0 here, and takes them.
func (d *discovering) level(ctx context.Context, length int, patterns []*discover.Pattern) error {
	if length == len(d.counts) {
		d.counts = append(d.counts, d.grower.NewTally(0))
	}
	tally := d.counts[length]
	done := len(tally.Stats)
	if done > len(patterns) || done < len(patterns) && length < len(d.counts)-1 {
		return checkpoint.ErrDamaged
	}
	for batch := range slices.Chunk(patterns[done:], d.batch) {
		counted, err := d.count(ctx, batch)
		if err == nil {
			tally.Append(counted)
		}
		if ctx.Err() != nil {
			return cmp.Or(d.save(), ctx.Err())
		}
		if err != nil {
			return err
		}
		if due := d.opt.Checkpoints.Due; due != nil && due() {
			if err := d.save(); err != nil {
				return err
			}
		}
	}
	d.grower.Take(patterns, tally)
	return nil
}

// atomsOf returns about how many a subgraph has.
func atomsOf(schema *mln.Schema, sub *subgraph.Subgraph) (n int) {
	for i, p := range schema.Predicates {
		switch p.Role {
		case mln.RoleListed:
			for _, t := range sub.Relations[i].Tables() {
				n += t.Len()
			}
		case mln.RoleTarget:
			atoms := 1
			for _, t := range p.Args {
				atoms = min(atoms*sub.Domains[t].Size, 1<<31)
			}
			n += atoms
		case mln.RoleEvidence:
		}
	}
	return n
}

// count counts patterns on the stream.
func (d *discovering) count(ctx context.Context, patterns []*discover.Pattern) (*discover.Tally, error) {
	b := d.grower.NewBatch(patterns)
	sum := d.grower.NewTally(len(patterns))
	err := Process(ctx, d.stream, &d.opt.Run, func() *discover.Counter { return discover.NewCounter(b) },
		(*discover.Counter).Count, func(t *discover.Tally) error {
			sum.Merge(t)
			return nil
		})
	return sum, err
}

// A checkpoint of a discovery is written by package wire: what it depends on, and the counts by length.
var discoveryForm = checkpoint.Form{Magic: "\x93RSWDI", Version: "\x01\n", Stage: "a discovery"}

// save hands the counts to the caller, who keeps them.
func (d *discovering) save() error {
	if d.opt.Checkpoints.Save == nil {
		return nil
	}
	w := discoveryForm.New(d.identity())
	w.Int(len(d.counts))
	for _, t := range d.counts {
		t.Write(w)
	}
	return d.opt.Checkpoints.Save(w.Sealed())
}

// resume takes the counts of the checkpoint, where there is one.
func (d *discovering) resume() error {
	data := d.opt.Checkpoints.Resume
	if data == nil {
		return nil
	}
	r, err := discoveryForm.Open(data, d.identity())
	if err != nil {
		return err
	}
	d.counts = wire.List(r, 8, func() *discover.Tally { return d.grower.ReadTally(r) })
	if !r.Done() {
		return checkpoint.ErrDamaged
	}
	return nil
}

// identity lists what the counts depend on, but for what the stream holds: of that names and sizes stand for it.
func (d *discovering) identity() []checkpoint.Property {
	model := sha256.New()
	d.model.writePredicates(model)
	fmt.Fprintf(model, "%q", d.model.Constants)
	o := d.opt
	most, field := o.most()
	return []checkpoint.Property{
		checkpoint.Depends("the model", digest(model), ""),
		checkpoint.Depends("--k1", o.Subgraphs, "DiscoverOptions.Subgraphs"),
		checkpoint.Depends("--length", o.Length, "DiscoverOptions.Length"),
		checkpoint.Depends("--support", o.Support, "DiscoverOptions.Support"),
		checkpoint.Depends("--max", most, field),
		checkpoint.Depends("--products", o.Products, "DiscoverOptions.Products"),
		checkpoint.Depends("the stream", digest(d.shape), ""),
	}
}

// writeShape writes the name and the sizes of a subgraph.
func writeShape(h hash.Hash, sub *subgraph.Subgraph) {
	fmt.Fprintf(h, "%d %q %q", sub.Index, sub.Name, sub.Center)
	for _, d := range sub.Domains {
		fmt.Fprint(h, " ", d.Size)
	}
	for i := range sub.Relations {
		for _, t := range sub.Relations[i].Tables() {
			fmt.Fprint(h, " ", t.Len())
		}
	}
	fmt.Fprintln(h)
}

// finish makes the model out of what was found.
func (d *discovering) finish() {
	formulas := slices.Clip(d.model.Formulas)
	if d.grower != nil {
		seen := map[string]bool{}
		for _, f := range formulas {
			seen[mln.Canonical(f)] = !f.HasWeight && !f.Hard
		}
		d.out.Candidates = d.grower.Candidates()
		for _, s := range d.found {
			d.out.Candidates = append(d.out.Candidates, discover.Candidate{Formula: s.Formula, Length: s.Length, Support: int64(s.Support)})
		}
		for _, c := range d.out.Candidates {
			if key := mln.Canonical(c.Formula); !seen[key] {
				seen[key] = true
				formulas = append(formulas, c.Formula)
			}
		}
		if d.grower.Cut() {
			d.warn("there are more candidates than are looked at: those were left out that say less of the truth")
		}
	}
	if d.out.Subgraphs == 0 {
		d.warn("the stream has no subgraph: nothing was found")
	} else if len(d.out.Candidates) == 0 {
		d.warn("no candidate has a grounding for %d query atoms", d.opt.Support)
	}
	d.out.Model = d.model.With(formulas)
}
