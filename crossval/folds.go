package crossval

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"resolwe"
)

// FoldError says that a stream cannot be divided into folds.
type FoldError struct{ Reason string }

// Error gives the reason.
func (e *FoldError) Error() string { return e.Reason }

// divide returns the positions of each fold's subgraphs, ascending; with Split the second fold is the one to test on.
func (o *Options) divide(ctx context.Context, s *resolwe.Stream, entries []resolwe.Entry) ([][]int, error) {
	switch {
	case o.Split != 0:
		return split(ctx, s, o.Split)
	case slices.ContainsFunc(entries, func(e resolwe.Entry) bool { return e.Fold >= 0 }):
		return namedFolds(entries)
	}
	return shuffledFolds(entries, o.Folds, o.Seed)
}

// split returns the positions of the first subgraphs, that share of all, and of the others.
func split(ctx context.Context, s *resolwe.Stream, share float64) ([][]int, error) {
	folds := make([][]int, 2)
	for i, part := range []resolwe.Part{resolwe.Train, resolwe.Test} {
		some, err := s.Subset(ctx, resolwe.Subset{Part: part, Split: share})
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
			return nil, &FoldError{fmt.Sprintf("subgraph %s has no fold, but others have", e.Name)}
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

// shuffledFolds deals a shuffle of the stream to so many folds.
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
