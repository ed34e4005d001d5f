package shards

import "resolwe/format/subgraph"

// Work estimates the cost of a subgraph: the words of the tables stored with it, plus its entities. Counting time is proportional to it;
// what the subgraph shares with others of its stream is processed only once.
func Work(s *subgraph.Subgraph) int64 {
	n := s.Words()
	for _, d := range s.Domains {
		n += d.Size
	}
	return int64(n)
}

// Cut splits a sequence of subgraphs, whose work is given and not negative, into n non-empty parts so that the largest work of a part is as
// small as possible. It returns the number of subgraphs in each. The error is a *TooManyError.
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

// parts returns how many parts of at most that much work a sequence needs.
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

// fill cuts n parts of at most that much work, each as large as possible while leaving at least one subgraph for each later part.
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
