package subgraph_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

// randomTable returns an indexed binary table with about n tuples.
func randomTable(rng *rand.Rand, n, rows, cols int) *subgraph.Table {
	var pairs [][2]uint32
	for range n {
		pairs = append(pairs, [2]uint32{uint32(rng.IntN(rows)), uint32(rng.IntN(cols))})
	}
	slices.SortFunc(pairs, func(a, b [2]uint32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	t := &subgraph.Table{Cols: make([][]uint32, 2)}
	for _, p := range slices.Compact(pairs) {
		t.Cols[0], t.Cols[1] = append(t.Cols[0], p[0]), append(t.Cols[1], p[1])
	}
	t.BuildIndex(rows, cols)
	return t
}

// isTable follows FORMAT.md word by word. agree says that the backward index holds the columns.
func isTable(t *subgraph.Table, rows, cols int) (valid, agree bool) {
	n := t.Len()
	beyond := func(id uint32, size int) bool { return uint64(id) >= uint64(size) }
	for i := range n {
		if beyond(t.Cols[0][i], rows) || beyond(t.Cols[1][i], cols) || beyond(t.Backward.IDs[i], rows) {
			return false, false
		}
		if i > 0 && cmp.Or(cmp.Compare(t.Cols[0][i-1], t.Cols[0][i]), cmp.Compare(t.Cols[1][i-1], t.Cols[1][i])) >= 0 {
			return false, false
		}
	}
	for _, x := range []*subgraph.Index{&t.Forward, &t.Backward} {
		if !slices.IsSorted(x.Offsets) || x.Offsets[0] != 0 || uint64(x.Offsets[len(x.Offsets)-1]) != uint64(n) {
			return false, false
		}
	}
	for row := range rows {
		for i := t.Forward.Offsets[row]; i < t.Forward.Offsets[row+1]; i++ {
			if t.Cols[0][i] != uint32(row) {
				return false, false
			}
		}
	}
	agree = true
	for col := range cols {
		partners := t.Backward.Row(uint32(col))
		for i, id := range partners {
			if i > 0 && partners[i-1] >= id {
				return false, false
			}
			_, ok := slices.BinarySearch(t.Forward.Row(id), uint32(col))
			agree = agree && ok
		}
	}
	return true, agree
}

// damageTable changes an element of a table, to a neighbouring value mostly.
func damageTable(rng *rand.Rand, t *subgraph.Table) {
	lists := [][]uint32{t.Cols[0], t.Cols[1], t.Forward.Offsets, t.Backward.Offsets, t.Backward.IDs}
	list := lists[rng.IntN(len(lists))]
	at := rng.IntN(len(list))
	switch rng.IntN(5) {
	case 0:
		list[at]++
	case 1:
		list[at]--
	case 2:
		list[at] = list[rng.IntN(len(list))]
	case 3:
		other := rng.IntN(len(list))
		list[at], list[other] = list[other], list[at]
	case 4:
		list[at] ^= 1 << rng.IntN(32)
	}
}

func TestTable_Check(t *testing.T) {
	t.Parallel()
	valid, agree, damaged := 0, 0, 0
	for seed := range uint64(4000) {
		rng := rand.New(rand.NewPCG(seed, 0))
		rows, cols := 1+rng.IntN(100), 1+rng.IntN(100)
		table := randomTable(rng, 1+rng.IntN(400), rows, cols)
		check.OKf(t, table.Check([]int{0, 1}, []int{rows, cols}), "seed %d", seed)
		check.OKf(t, table.CheckIndexes(), "seed %d", seed)
		for range 1 + rng.IntN(2) {
			damageTable(rng, table)
		}
		wantValid, wantAgree := isTable(table, rows, cols)
		if err := table.Check([]int{0, 1}, []int{rows, cols}); (err == nil) != wantValid {
			t.Fatalf("seed %d: got %v, want valid: %v", seed, err, wantValid)
		}
		switch {
		case !wantValid:
			damaged++
			continue
		case wantAgree:
			agree++
		default:
			valid++
		}
		if err := table.CheckIndexes(); (err == nil) != wantAgree {
			t.Fatalf("seed %d: got %v, want indexes that agree: %v", seed, err, wantAgree)
		}
	}
	if valid < 20 || agree < 20 || damaged < 1000 {
		t.Errorf("got %d tables with indexes that differ, %d undamaged and %d damaged", valid, agree, damaged)
	}
}

// TestTable_CheckTernary damages tables of three columns, which have no index.
func TestTable_CheckTernary(t *testing.T) {
	t.Parallel()
	valid, damaged := 0, 0
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		sizes := []int{1 + rng.IntN(20), 1 + rng.IntN(20)}
		args := []int{0, 1, 0}
		var list [][]uint32
		for range 1 + rng.IntN(200) {
			list = append(list, []uint32{
				uint32(rng.IntN(sizes[0])), uint32(rng.IntN(sizes[1])), uint32(rng.IntN(sizes[0])),
			})
		}
		slices.SortFunc(list, slices.Compare[[]uint32])
		list = slices.CompactFunc(list, slices.Equal[[]uint32])
		if seed%2 == 1 {
			list[rng.IntN(len(list))][rng.IntN(3)] += uint32(rng.IntN(3)) - 1
		}
		want := true
		for i := 1; i < len(list); i++ {
			want = want && slices.Compare(list[i-1], list[i]) < 0
		}
		table := subgraph.Table{Cols: make([][]uint32, 3)}
		for _, tuple := range list {
			for c, id := range tuple {
				table.Cols[c] = append(table.Cols[c], id)
				want = want && uint64(id) < uint64(sizes[args[c]])
			}
		}
		if err := table.Check(args, sizes); (err == nil) != want {
			t.Fatalf("seed %d: got %v, want valid: %v", seed, err, want)
		}
		if want {
			valid++
		} else {
			damaged++
		}
	}
	if valid < 1000 || damaged < 200 {
		t.Errorf("got %d valid tables and %d damaged", valid, damaged)
	}
}
