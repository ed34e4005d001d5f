// Package discovering finds candidates for selection, from declarations and a sample of a stream.
package discovering

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"slices"
	"strings"
	"time"

	"resolwe/format/checkpoint"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/machine"
	"resolwe/internal/stage/run"
	"resolwe/internal/stage/selecting"
	"resolwe/internal/wire"
	"resolwe/kernels/discover"
)

// Options are the parameters of Discover. The zero value is the default.
type Options struct {
	// k1: minimum number of subgraphs to sample, at least 1; 0 for 100. Those with the smallest hash of seed and name are taken, until
	// there are 200 true and 200 false query atoms of each target predicate, or 256 MiB of facts.
	Subgraphs int
	Length    int         // maximum literals besides the head, 1 to 6, plus one that closes an open path; 0 for 3
	Seed      uint64      // of the sample of subgraphs; 0 for 1
	Support   int         // minimum query atoms with a grounding, at least 1; 0 for 1% of the sample's true ones, but 5 to 20
	Values    *int        // number of constants from each category of more than 12 names, those with the most gain above chance, at least 0; nil for 20
	Max       int         // maximum number of candidates, 1 to 100,000; 0 for 5,000
	Memory    int64       // bytes that selection on the candidates may take, at least 0; if they need more, those with the least gain are dropped; 0 for 8 GiB
	Budget    *run.Budget // after which longer candidates are no longer sought
	Run       run.Run

	// Part, unless nil, is called with the progress, one call at a time, instead of Run.Progress: with what is counted, how many
	// subgraphs so far, and the total.
	Part func(what string, done, total int64)

	// Checkpoints say how to save the counts and resume a discovery that was ended or ran out of budget. Due is called after each
	// batch of patterns.
	Checkpoints run.Checkpoints
}

// defaultMemory is the same on every machine, since the result depends on it.
const defaultMemory = 8 << 30

func (o *Options) fill() error {
	o.Subgraphs, o.Length, o.Seed = cmp.Or(o.Subgraphs, 100), cmp.Or(o.Length, 3), cmp.Or(o.Seed, 1)
	if o.Values == nil {
		o.Values = new(20)
	}
	o.Max, o.Memory = cmp.Or(o.Max, 5000), cmp.Or(o.Memory, defaultMemory)
	switch {
	case o.Subgraphs < 1:
		return &run.OptionError{Option: "DiscoverOptions.Subgraphs", Reason: "at least 1"}
	case o.Length < 1 || o.Length > 6:
		return &run.OptionError{Option: "DiscoverOptions.Length", Reason: "1 to 6"}
	case o.Support < 0:
		return &run.OptionError{Option: "DiscoverOptions.Support", Reason: "at least 1"}
	case *o.Values < 0:
		return &run.OptionError{Option: "DiscoverOptions.Values", Reason: "at least 0"}
	case o.Max < 1 || o.Max > 100_000:
		return &run.OptionError{Option: "DiscoverOptions.Max", Reason: "1 to 100000"}
	case o.Memory < 0:
		return &run.OptionError{Option: "DiscoverOptions.Memory", Reason: "at least 0"}
	}
	return nil
}

// Validate returns an *OptionError for the first option that is out of range.
func (o *Options) Validate() error {
	filled := *o
	return filled.fill()
}

// Identity represents everything that candidates depend on, other than the model, the stream and the budget, which it has as none.
func (o *Options) Identity() string {
	filled := *o
	_ = filled.fill() // values out of range stay so
	most, _ := filled.most()
	text := fmt.Sprint(filled.Subgraphs, filled.Length, filled.Support, most, false, time.Duration(0), filled.Seed)
	if *filled.Values != 20 {
		text += fmt.Sprint(" ", *filled.Values)
	}
	return text
}

// most names the limit on candidates and its option; with the default memory, as in versions before memory was a limit.
func (o *Options) most() (value any, field string) {
	if o.Memory == defaultMemory {
		return o.Max, "DiscoverOptions.Max"
	}
	return fmt.Sprintf("%d in %d bytes", o.Max, o.Memory), "DiscoverOptions.Memory"
}

// Discovery is the result of Discover.
type Discovery struct {
	Model       *run.Model           // the given model's formulas, and the new candidates
	Candidates  []discover.Candidate // by length, then canonical text; then counts and aggregates of rows in the same order
	Subgraphs   int                  // sampled
	Length      int                  // up to which candidates were sought
	Stopped     bool                 // Options.Budget ended it
	CutByMax    bool                 // Options.Max left out candidates with less gain
	CutByMemory bool                 // Options.Memory did
	Warnings    []mln.Diagnostic
}

// Discover is described with resolwe.Discover.
func Discover(ctx context.Context, m *run.Model, s *run.Stream, opt Options) (*Discovery, error) {
	s, err := m.Offers(s)
	if err = cmp.Or(err, opt.fill()); err != nil {
		return nil, err
	}
	if s.ReadOnce() {
		return nil, run.ErrReadOnce
	}
	d := &discovering{model: m, opt: &opt, out: &Discovery{}, shape: sha256.New()}
	if d.stream, d.times, err = d.sample(ctx, s); err != nil {
		return nil, err
	}
	if d.records, err = opt.Checkpoints.Records(ctx, s); err != nil {
		return nil, err
	}
	limited, cancel := opt.Budget.Context(ctx)
	defer cancel()
	err = d.grow(limited)
	if run.Expired(ctx, err) {
		d.warn("the budget expired: candidates have at most %d literals besides the head", d.out.Length)
		d.out.Stopped, err = true, nil
	}
	if err != nil {
		return nil, err
	}
	d.finish()
	return d.out, nil
}

// discovering is the state of a discovery.
type discovering struct {
	model      *run.Model
	stream     *run.Stream
	opt        *Options
	grower     *discover.Grower  // nil until the data were read
	batch      int               // patterns counted together
	categories bool              // constants are screened first
	counts     []*discover.Tally // of screened constants, then by length; the last may cover only the first patterns
	shape      hash.Hash         // of the subgraphs' names and sizes
	records    string
	rows       int        // estimated number of query atoms
	times      int        // size of the whole stream, as a multiple of the sample
	found      []screened // aggregates
	out        *Discovery
}

func (d *discovering) warn(format string, args ...any) {
	d.out.Warnings = append(d.out.Warnings, mln.Diagnostic{Msg: fmt.Sprintf(format, args...)})
}

// cellBytes is roughly how many bytes selection by gain takes for each pair of a candidate and a query atom with a grounding, while
// the paths of all folds grow in parallel.
const cellBytes = 48

// mostCells is roughly how many counts a worker holds at once, mostBatch how many patterns share an operator graph.
const (
	mostCells = 1 << 22
	mostBatch = 256
)

// part returns the Run of a part, which reads so many subgraphs.
func (d *discovering) part(what string, total int) run.Run {
	run := d.opt.Run
	if d.opt.Part != nil {
		run.Progress = selecting.Counting(d.opt.Part, what, total)
	}
	return run
}

// reads returns how many subgraphs are read if the sample is read once for each batch of a number of things.
func (d *discovering) reads(things, batch int) int {
	return (things + batch - 1) / batch * d.out.Subgraphs
}

// grow finds candidates length by length.
func (d *discovering) grow(ctx context.Context) error {
	o := discover.NewObserver(d.model.Schema)
	atoms := 1 // of a subgraph
	err := run.Each(ctx, d.stream, d.part("read", d.stream.Len()), func(sub *subgraph.Subgraph) error {
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
		Length: d.opt.Length, Support: int64(d.opt.Support), Max: d.opt.Max, Values: *d.opt.Values,
		Cells: max(1, d.opt.Memory/cellBytes/int64(d.times)),
	})
	d.categories = d.grower.Screens()
	if err := d.resume(); err != nil {
		return err
	}
	length := 0
	for patterns := d.grower.Next(); len(patterns) > 0; patterns = d.grower.Next() {
		if err := d.level(ctx, length, patterns); err != nil {
			return err
		}
		length++
	}
	if length < len(d.counts) {
		return checkpoint.ErrDamaged
	}
	return cmp.Or(d.save(), d.aggregates(ctx))
}

// level counts the remaining patterns of a length (from 0 here) and adds them to the results.
func (d *discovering) level(ctx context.Context, length int, patterns []*discover.Pattern) error {
	if length == len(d.counts) {
		d.counts = append(d.counts, d.grower.NewTally(0))
	}
	tally := d.counts[length]
	done := len(tally.Stats)
	if done > len(patterns) || done < len(patterns) && length < len(d.counts)-1 {
		return checkpoint.ErrDamaged
	}
	what, longest := fmt.Sprintf("length %d", patterns[0].Len()), patterns[0].Len()
	if d.grower.Screens() {
		what, longest = "constants", 0
	}
	run := d.part(what, d.reads(len(patterns)-done, d.batch))
	for batch := range slices.Chunk(patterns[done:], d.batch) {
		counted, err := d.count(ctx, batch, &run)
		if err == nil {
			tally.Append(counted)
		}
		if ctx.Err() != nil {
			return cmp.Or(d.save(), context.Cause(ctx))
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
	d.out.Length = longest
	return nil
}

// atomsOf estimates how many query atoms a subgraph has.
func atomsOf(schema *mln.Schema, sub *subgraph.Subgraph) (n int) {
	for i, p := range schema.Predicates {
		switch p.Role {
		case mln.RoleListed:
			for _, t := range sub.Relations[i].Tables() {
				n += t.Len()
			}
		case mln.RoleTarget:
			n += typed(&p, sub)
		case mln.RoleEvidence:
		}
	}
	return n
}

// count counts patterns on the stream.
func (d *discovering) count(ctx context.Context, patterns []*discover.Pattern, how *run.Run) (*discover.Tally, error) {
	b := d.grower.NewBatch(patterns)
	sum := d.grower.NewTally(len(patterns))
	err := run.Process(ctx, d.stream, how, func() *discover.Counter { return discover.NewCounter(b) },
		(*discover.Counter).Count, func(t *discover.Tally) error {
			sum.Merge(t)
			return nil
		})
	return sum, err
}

// A checkpoint of a discovery is written with package wire: what it depends on, then the counts by length.
var discoveryForm = checkpoint.Form{Magic: "\x93RSWDI", Version: "\x01\n", Stage: "a discovery"}

// save passes the counts to the caller's Save.
func (d *discovering) save() error {
	if d.opt.Checkpoints.Save == nil {
		return nil
	}
	w := discoveryForm.New(d.identity())
	d.code(w)
	return d.opt.Checkpoints.Save(w.Sealed())
}

// resume restores the counts of the checkpoint, if there is one.
func (d *discovering) resume() error {
	data := d.opt.Checkpoints.Resume
	if data == nil {
		return nil
	}
	r, err := discoveryForm.Open(data, d.identity())
	if err != nil {
		return err
	}
	if d.code(r); !r.Done() {
		return checkpoint.ErrDamaged
	}
	return nil
}

// code writes or reads the counts.
func (d *discovering) code(c wire.Coder) {
	wire.Items(c, &d.counts, 8, func(t **discover.Tally) {
		if *t == nil {
			*t = d.grower.NewTally(0)
		}
		(*t).Code(c)
	})
}

// identity lists what the counts depend on.
func (d *discovering) identity() []checkpoint.Property {
	model := sha256.New()
	d.model.WritePredicates(model)
	fmt.Fprintf(model, "%q", d.model.Constants)
	o := d.opt
	most, field := o.most()
	list := []checkpoint.Property{
		checkpoint.Depends("the model", run.Digest(model), ""),
		checkpoint.Depends("--k1", o.Subgraphs, "DiscoverOptions.Subgraphs"),
		checkpoint.Depends("--length", o.Length, "DiscoverOptions.Length"),
		checkpoint.Depends("--support", o.Support, "DiscoverOptions.Support"),
		checkpoint.Depends("--max", most, field),
		checkpoint.Depends("--products", false, ""), // an option once
		checkpoint.Depends("the stream", run.Digest(d.shape), ""),
		d.model.ConstantsOf(mln.Given(d.model.Formulas)),
		run.ContentsOf(d.records),
	}
	if d.categories {
		list = append(list, checkpoint.Depends("--values", *o.Values, "DiscoverOptions.Values"))
	}
	return list
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

// finish builds the resulting model.
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
		byMax, byMemory := d.grower.Cut()
		d.out.CutByMax, d.out.CutByMemory = d.out.CutByMax || len(byMax) > 0, d.out.CutByMemory || byMemory
		if len(byMax) > 0 {
			d.warn("there are too many candidates: %s", strings.Join(byMax, "; "))
		}
		if d.out.CutByMemory {
			d.warn("there are too many candidates for %v of memory: those with the least gain were left out", machine.Size(d.opt.Memory))
		}
	}
	if d.out.Subgraphs == 0 {
		d.warn("the stream has no subgraph: nothing was found")
	} else if len(d.out.Candidates) == 0 {
		d.warn("no candidate has a grounding for enough query atoms")
	}
	d.out.Model = d.model.With(formulas)
}
