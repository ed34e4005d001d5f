package pool

import "sync"

// Steps hands out the parts of steps that several workers do together, each
// part to the first that asks for one (work stealing). There are lines of
// steps; every worker comes to the steps of a line, numbered from 1, in order,
// and may come to lines in any. The zero value has handed out nothing.
// Next may be called by several goroutines at once.
type Steps struct {
	mu    sync.Mutex
	lines []step
}

// step is what is left of the latest step of a line that a worker has come to.
type step struct {
	number     uint32
	first, end int
}

// Next returns one of n parts of a step, the last or the first that is left,
// and n where none is: that is so where another worker has come to a later step
// of the line.
func (s *Steps) Next(line int, number uint32, n int, last bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if more := line + 1 - len(s.lines); more > 0 {
		s.lines = append(s.lines, make([]step, more)...)
	}
	left := &s.lines[line]
	if left.number < number {
		*left = step{number: number, end: n}
	}
	switch {
	case left.number > number || left.first == left.end:
		return n
	case last:
		left.end--
		return left.end
	default:
		left.first++
		return left.first - 1
	}
}
