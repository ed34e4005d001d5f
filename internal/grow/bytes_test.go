package grow_test

import (
	"testing"

	"resolwe/internal/grow"
	"resolwe/internal/test/check"
)

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
