package resolwe_test

import (
	"math"
	"slices"
	"testing"

	"resolwe"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
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
