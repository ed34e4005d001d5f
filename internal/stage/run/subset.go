package run

import (
	"context"
	"fmt"
	"math"
	"slices"

	"resolwe/format/subgraph"
)

// Part is the purpose of a Subset.
type Part uint8

// The parts.
const (
	Train Part = iota
	Test
)

// String names the part.
func (p Part) String() string { return [...]string{"train", "test"}[p] }

// Subset is one of two parts of a stream: to train on, and to test on. The zero value is the whole stream.
type Subset struct {
	Part  Part
	Fold  *int    // if not nil, the subgraphs of this fold are the test part, all others the training part
	Split float64 // if not 0, the share of the stream, from its first subgraph, that is the training part; below 1
	From  Time    // if known, the test part begins with the first subgraph at or after that time
}

// Subset returns a part of a stream, as Range and Pick do. If a part would be empty, a fold or share is invalid, or From is given
// but the stream is not ordered by time, the error is an *OptionError; other errors are those of Entries.
func (s *Stream) Subset(ctx context.Context, sub Subset) (*Stream, error) {
	switch {
	case sub.Fold == nil && sub.Split == 0 && !sub.From.Known:
		return s, nil
	case sub.Split != 0 && sub.From.Known:
		return nil, &OptionError{"Subset.Split", "the stream is already divided by a time"}
	case sub.Fold != nil && (sub.Split != 0 || sub.From.Known):
		return nil, &OptionError{"Subset.Split", "the stream is already divided by a fold"}
	case sub.Fold != nil && *sub.Fold < 0:
		return nil, &OptionError{"Subset.Fold", "at least 0"}
	case !(sub.Split >= 0 && sub.Split < 1): // NaN too
		return nil, &OptionError{"Subset.Split", "above 0 and below 1"}
	}
	entries, err := s.Entries(ctx)
	if err != nil {
		return nil, err
	}
	if sub.Fold == nil {
		n, err := sub.first(entries)
		if err != nil {
			return nil, err
		}
		ends := [...]int{0, entries[n].Index, math.MaxInt}
		return s.Range(ends[sub.Part], ends[sub.Part+1]), nil
	}
	var in [2][]int // by part
	for _, e := range entries {
		part := Train
		if e.Fold == *sub.Fold {
			part = Test
		}
		in[part] = append(in[part], e.Index)
	}
	if len(in[Train]) == 0 || len(in[Test]) == 0 {
		return nil, &OptionError{"Subset.Fold", fmt.Sprintf("fold %d has %d of %d subgraphs", *sub.Fold, len(in[Test]), len(entries))}
	}
	return s.Pick(in[sub.Part]), nil
}

// first returns the number of entries before the test part.
func (sub *Subset) first(entries []Entry) (int, error) {
	at, n := fmt.Sprint(sub.Split), int(math.Round(sub.Split*float64(len(entries))))
	if sub.From.Known {
		if err := InTime(entries, "Subset.Split"); err != nil {
			return 0, err
		}
		at = sub.From.String()
		n, _ = slices.BinarySearchFunc(entries, sub.From, func(e Entry, t Time) int { return e.Time.Compare(t) })
	}
	if n == 0 || n == len(entries) {
		return 0, &OptionError{"Subset.Split", fmt.Sprintf("%s of %d subgraphs leaves none to train or to test on", at, len(entries))}
	}
	return n, nil
}

// InTime returns an *OptionError unless all subgraphs of a stream have times, in ascending order, as the given option requires.
func InTime(entries []Entry, option string) error {
	for i, e := range entries {
		switch {
		case !e.Time.Known && !slices.ContainsFunc(entries, func(e Entry) bool { return e.Time.Known }):
			return &OptionError{option, NoTimes}
		case !e.Time.Known:
			return &OptionError{option, fmt.Sprintf("subgraph %s has no time, but others have one", subgraph.Shown(e.Name))}
		case i > 0 && e.Time.Compare(entries[i-1].Time) < 0:
			return &OptionError{option, fmt.Sprintf("the stream must be ordered by time: subgraph %s has time %v and follows one with %v",
				subgraph.Shown(e.Name), e.Time, entries[i-1].Time)}
		}
	}
	return nil
}
