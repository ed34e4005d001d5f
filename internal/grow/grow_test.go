package grow_test

import (
	"fmt"
	"testing"

	"resolwe/internal/grow"
	"resolwe/internal/test/check"
)

func TestLists(t *testing.T) {
	t.Parallel()
	var l grow.Lists // reused: no state may carry over
	for _, pairs := range [][][2]uint32{{{2, 7}, {0, 5}, {2, 3}, {2, 9}}, {}, {{1, 1}}} {
		l.Build(4, func(emit func(owner, item uint32)) {
			for _, p := range pairs {
				emit(p[0], p[1])
			}
		})
		want := make([][]uint32, 4)
		for _, p := range pairs {
			want[p[0]] = append(want[p[0]], p[1])
		}
		for owner := range want {
			check.Equal(t, fmt.Sprintf("list %d", owner), append([]uint32(nil), l.Of(uint32(owner))...), want[owner])
		}
		if l.Empty() != (len(pairs) == 0) {
			t.Errorf("%v: got empty %v", pairs, l.Empty())
		}
	}
}

// By keeps what is there.
func TestBy(t *testing.T) {
	t.Parallel()
	s := make([]int, 0, 2)
	for n := range 9 {
		s = grow.By(s, n)
		check.Is(t, len(s), n*(n+1)/2, "length")
		for i := range s {
			if i < len(s)-n {
				check.Is(t, s[i], i, "element")
			}
			s[i] = i
		}
	}
}

// Bytes counts the contents of slices, in structs and in slices of structs.
func TestBytes(t *testing.T) {
	t.Parallel()
	type part struct {
		n     int64
		items []uint16
	}
	v := struct {
		flat   []uint32
		parts  []part
		inner  part
		beside *[]uint64
	}{make([]uint32, 1, 10), []part{{1, make([]uint16, 3)}, {2, nil}}, part{3, make([]uint16, 5)}, &[]uint64{1}}
	check.Equal(t, "bytes", grow.Bytes(&v), 10*4+2*32+3*2+5*2)
}
