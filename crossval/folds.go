package crossval

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/gain"
)

// FoldError reports that a stream cannot be divided into folds.
type FoldError struct{ Reason string }

// Error gives the reason.
func (e *FoldError) Error() string { return e.Reason }

// InTime reports whether test data are later in the stream than training data.
func (o *Options) InTime() bool { return o.Split != 0 || o.From.Known || o.Forward != 0 }

// divide returns the positions of each fold's subgraphs, ascending. If InTime, the first fold is not tested.
func (o *Options) divide(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, entries []resolwe.Entry) ([][]int, error) {
	switch {
	case o.Forward != 0 && (o.Split != 0 || o.From.Known):
		return nil, &resolwe.OptionError{Option: "crossval.Options.Forward", Reason: "the stream is already divided in two"}
	case o.Split != 0 || o.From.Known:
		return split(ctx, s, resolwe.Subset{Split: o.Split, From: o.From})
	case o.Forward != 0:
		return o.forwardFolds(ctx, m, s, entries, o.Forward)
	case slices.ContainsFunc(entries, func(e resolwe.Entry) bool { return e.Fold >= 0 }):
		return namedFolds(entries)
	case !o.Random && o.Folds >= 2 && timed(entries):
		folds, err := o.forwardFolds(ctx, m, s, entries, o.Folds)
		option, fold := (*resolwe.OptionError)(nil), (*FoldError)(nil)
		switch {
		case errors.As(err, &option):
			o.Warn("folds are random, not forward in time: " + option.Reason)
		case errors.As(err, &fold):
			o.Warn("folds are random, not forward in time: " + fold.Reason)
		default:
			o.Forward, o.auto = o.Folds, err == nil
			return folds, err
		}
	}
	return shuffledFolds(entries, o.Folds, o.Seed)
}

// timed reports whether all subgraphs have times, not all the same.
func timed(entries []resolwe.Entry) bool {
	return !slices.ContainsFunc(entries, func(e resolwe.Entry) bool { return !e.Time.Known }) &&
		slices.ContainsFunc(entries, func(e resolwe.Entry) bool { return e.Time != entries[0].Time })
}

// forwardFolds returns the positions of blocks with about equally many query atoms, in order of time; there is one more block than
// folds.
func (o *Options) forwardFolds(ctx context.Context, m *resolwe.Model, s *resolwe.Stream, entries []resolwe.Entry, want int) ([][]int, error) {
	const option = "crossval.Options.Forward"
	if want < 1 {
		return nil, &resolwe.OptionError{Option: option, Reason: "at least 1"}
	}
	if err := resolwe.InTime(entries, option); err != nil {
		return nil, err
	}
	rows := map[resolwe.Time]int{}
	err := resolwe.Each(ctx, s, o.Run.Silent(), func(sub *subgraph.Subgraph) error {
		rows[sub.Time] += knownAtoms(m.Schema, sub)
		return nil
	})
	if err != nil {
		return nil, err
	}
	blocks, folds := gain.Divide(rows, want+1), make([][]int, want+1)
	for _, e := range entries {
		at := blocks.Of(e.Time)
		folds[at] = append(folds[at], e.Index)
	}
	if i := slices.IndexFunc(folds, func(f []int) bool { return len(f) == 0 }); i >= 0 {
		return nil, &FoldError{fmt.Sprintf("%d different times cannot be divided into %d parts of about equal size", len(rows), want+1)}
	}
	return folds, nil
}

// knownAtoms returns how many query atoms of known truth a subgraph has.
func knownAtoms(schema *mln.Schema, sub *subgraph.Subgraph) (n int) {
	for i, p := range schema.Predicates {
		r := &sub.Relations[i]
		switch p.Role {
		case mln.RoleListed:
			n += r.True.Len() + r.False.Len()
		case mln.RoleTarget:
			all := 1
			for _, t := range p.Args {
				all *= sub.Domains[t].Size
			}
			n += all - r.Unknown.Len()
		case mln.RoleEvidence:
		}
	}
	return n
}

// split returns the positions of the subgraphs before the test part, and of those in it.
func split(ctx context.Context, s *resolwe.Stream, sub resolwe.Subset) ([][]int, error) {
	folds := make([][]int, 2)
	for i, part := range []resolwe.Part{resolwe.Train, resolwe.Test} {
		sub.Part = part
		some, err := s.Subset(ctx, sub)
		if err != nil {
			return nil, err
		}
		entries, err := some.Entries(ctx)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			folds[i] = append(folds[i], e.Index)
		}
	}
	return folds, nil
}

// namedFolds takes the folds from the stream, in order of their numbers.
func namedFolds(entries []resolwe.Entry) ([][]int, error) {
	byNumber := map[int][]int{}
	for _, e := range entries {
		if e.Fold < 0 {
			return nil, &FoldError{fmt.Sprintf("subgraph %s has no fold, but others have one", e.Name)}
		}
		byNumber[e.Fold] = append(byNumber[e.Fold], e.Index)
	}
	if len(byNumber) < 2 {
		return nil, &FoldError{"all subgraphs of the stream are in one fold"}
	}
	folds := make([][]int, 0, len(byNumber))
	for _, number := range slices.Sorted(maps.Keys(byNumber)) {
		folds = append(folds, byNumber[number])
	}
	return folds, nil
}

// shuffledFolds distributes the shuffled stream among a number of folds.
func shuffledFolds(entries []resolwe.Entry, want int, seed uint64) ([][]int, error) {
	if want < 2 {
		return nil, &resolwe.OptionError{Option: "crossval.Options.Folds", Reason: "at least 2"}
	}
	if len(entries) < want {
		return nil, &FoldError{fmt.Sprintf("%d subgraphs cannot be divided into %d folds", len(entries), want)}
	}
	order := slices.Clone(entries)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	folds := make([][]int, want)
	for place, e := range order {
		folds[place%want] = append(folds[place%want], e.Index)
	}
	for _, f := range folds {
		slices.Sort(f)
	}
	return folds, nil
}

// testRows sets Test to 0 for a row task, whose rows are cheap to predict and few in a sample.
func (o *Options) testRows(ctx context.Context, m *resolwe.Model, s *resolwe.Stream) error {
	var of resolwe.Evaluation
	err := resolwe.Each(ctx, s, o.Run.Silent(), func(sub *subgraph.Subgraph) error {
		switch knownAtoms(m.Schema, sub) {
		case 0:
			return nil
		case 1:
			of.Single++
		}
		of.Subgraphs++
		return nil
	})
	if of.RowTask() {
		o.Test = 0
	}
	return err
}

// tests returns the positions of each fold's test subgraphs, ascending: all, or Test of them drawn at random.
func (o *Options) tests(folds [][]int) [][]int {
	out := slices.Clone(folds)
	for fold, list := range folds {
		if o.Test == 0 || len(list) <= o.Test {
			continue
		}
		drawn := slices.Clone(list)
		rand.New(rand.NewPCG(o.Seed, uint64(fold)+1)).Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] }) // #nosec G115 -- not negative
		out[fold] = drawn[:o.Test]
		slices.Sort(out[fold])
	}
	return out
}
