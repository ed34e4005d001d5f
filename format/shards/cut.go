package shards

import "resolwe/format/subgraph"

// Work estimates what a subgraph costs: the words of the tables that are stored with it, and its entities. Time to count
// grows with it in proportion, whatever the subgraph shares with others of its stream, since that is worked on once.
func Work(s *subgraph.Subgraph) int64 {
	n := 0
	for _, d := range s.Domains {
		n += d.Size
	}
	for i := range s.Relations {
		r := &s.Relations[i]
		for _, t := range []*subgraph.Table{&r.True, &r.False, &r.Unknown} {
			n += t.Len()*len(t.Cols) + len(t.Forward.Offsets) + len(t.Backward.Offsets) + len(t.Backward.IDs)
		}
	}
	return int64(n)
}

// Cut splits a sequence of subgraphs, whose work is given and not negative, into n parts that are not empty, so that the
// most work of a part is the least possible. It returns the number of subgraphs in each. The error is a *TooManyError.
func Cut(work []int64, n int) ([]int, error) {
	if n < 1 || n > len(work) {
		return nil, &TooManyError{Shards: n, Subgraphs: len(work)}
	}
	least, most := int64(0), int64(0)
	for _, w := range work {
		least, most = max(least, w), most+w
	}
	for least < most {
		if mid := least + (most-least)/2; parts(work, mid) <= n {
			most = mid
		} else {
			least = mid + 1
		}
	}
	return fill(work, n, least), nil
}

// parts returns how many parts of at most so much work a sequence takes.
func parts(work []int64, bound int64) int {
	n, sum := 1, int64(0)
	for _, w := range work {
		if w > bound-sum {
			n, sum = n+1, 0
		}
		sum += w
	}
	return n
}

// fill cuts n parts of at most so much work, each with as much as it takes, though it leaves one subgraph for each part
// behind it.
func fill(work []int64, n int, bound int64) []int {
	sizes := make([]int, n)
	i := 0
	for k := range sizes {
		first, sum := i, int64(0)
		for last := len(work) - (n - 1 - k); i < last && (i == first || work[i] <= bound-sum); i++ {
			sum += work[i]
		}
		sizes[k] = i - first
	}
	return sizes
}
