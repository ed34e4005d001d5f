package resolwe_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

// A subset keeps the positions of its subgraphs; k2 and what is skipped are counted within it, beyond 2^32 too.
func TestStream_Subset(t *testing.T) {
	t.Parallel()
	const far = 1 << 33
	m := parse(t, friends)
	path := file(t, "", "s.rsg", pack(t, m.Schema, subgraphs(t, m, friendsDB(0, 60)), rsg.WriterOptions{}))
	all := open(t, m, resolwe.StreamOptions{First: far}, path)
	odd := []int{far + 59, far + 5, far + 1, far + 7, 3, far + 5, far + 61}
	for _, test := range []struct {
		name   string
		stream *resolwe.Stream
		want   []int
	}{
		{"range", all.Range(far+50, far+53), []int{50, 51, 52}},
		{"to the end", all.Range(far+58, math.MaxInt), []int{58, 59}},
		{"no range", all.Range(far+9, far+3), nil},
		{"list", all.Pick(odd), []int{1, 5, 7, 59}},
		{"range of a list", all.Pick(odd).Range(far+2, far+8), []int{5, 7}},
		{"list of a range", all.Range(far+5, far+10).Pick(odd), []int{5, 7}},
		{"no list", all.Pick(nil), nil},
	} {
		entries, err := test.stream.Entries(t.Context())
		var got []int
		for _, e := range entries {
			got = append(got, e.Index-far)
		}
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, %v, want %v", test.name, got, err, test.want)
		}
		got = nil
		err = resolwe.Each(t.Context(), test.stream, resolwe.Run{}, func(s *subgraph.Subgraph) error {
			got = append(got, s.Index-far)
			return nil
		})
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: visited %v, %v, want %v", test.name, got, err, test.want)
		}
		n := len(test.want)
		sel := resolwe.SelectOptions{Criterion: resolwe.Paper}
		for _, sel.Subgraphs = range []int{1, 2, 30} {
			got, err := resolwe.Select(t.Context(), m, test.stream, sel)
			if want := min(n, sel.Subgraphs); err != nil || got.Subgraphs != want {
				t.Errorf("%s: selected on %+v, %v, want %d", test.name, got, err, want)
			}
		}
		learn := resolwe.LearnOptions{Objective: true}
		if learn.Skip = 1; n < 2 {
			continue
		}
		learned, err := resolwe.Learn(t.Context(), m, test.stream, learn)
		if err != nil || learned.Subgraphs != n-1 {
			t.Errorf("%s: learned on %+v, %v, want %d", test.name, learned, err, n-1)
		}
	}
	if got := all.Pick(odd).Len(); got != 4 {
		t.Errorf("length of a list: got %d, want those within the stream", got)
	}
}

// A part of a stream is what its fold or share says, of text, a binary stream and a subset alike.
func TestStream_Part(t *testing.T) {
	t.Parallel()
	m := parse(t, friends)
	var b strings.Builder
	for i, fold := range []int{2, 0, 1, 0, 2, 2, 0, -1, 1, 0} {
		fmt.Fprintf(&b, "@subgraph s%d", i)
		if fold >= 0 {
			fmt.Fprintf(&b, " fold=%d", fold)
		}
		b.WriteString("\nfriends(A, B)\n")
	}
	text := open(t, m, resolwe.StreamOptions{}, file(t, "", "s.db", []byte(b.String())))
	binary := open(t, m, resolwe.StreamOptions{}, file(t, "", "s.rsg", pack(t, m.Schema, subgraphs(t, m, b.String()), rsg.WriterOptions{})))
	for _, test := range []struct {
		sub  resolwe.Subset
		want []int // nil for an OptionError
	}{
		{resolwe.Subset{}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{resolwe.Subset{Part: resolwe.Test}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{resolwe.Subset{Fold: new(0), Part: resolwe.Test}, []int{1, 3, 6, 9}},
		{resolwe.Subset{Fold: new(0)}, []int{0, 2, 4, 5, 7, 8}},
		{resolwe.Subset{Split: .25}, []int{0, 1, 2}},
		{resolwe.Subset{Split: .25, Part: resolwe.Test}, []int{3, 4, 5, 6, 7, 8, 9}},
		{resolwe.Subset{Split: .04}, nil},
		{resolwe.Subset{Split: 1}, nil},
		{resolwe.Subset{Split: -.5}, nil},
		{resolwe.Subset{Split: math.NaN()}, nil},
		{resolwe.Subset{Fold: new(3)}, nil},
		{resolwe.Subset{Fold: new(-1)}, nil},
		{resolwe.Subset{Fold: new(0), Split: .5}, nil},
	} {
		for _, s := range []*resolwe.Stream{text, binary, binary.Range(0, 10)} {
			part, err := s.Subset(t.Context(), test.sub)
			if test.want == nil {
				check.ErrorAs[*resolwe.OptionError](t, err, "%+v", test.sub)
				continue
			}
			check.OK(t, err)
			entries, err := part.Entries(t.Context())
			check.OK(t, err)
			got := make([]int, len(entries))
			for i, e := range entries {
				got[i] = e.Index
			}
			check.Slices(t, got, test.want, "%+v", test.sub)
		}
	}
	part, err := binary.Range(5, 9).Subset(t.Context(), resolwe.Subset{Split: .5, Part: resolwe.Test})
	check.OK(t, err)
	check.Equal(t, "length of half a subset", part.Len(), 2)
}
