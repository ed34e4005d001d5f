package wire_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/internal/wire"
)

// values has one of each kind.
type values struct {
	Uint   uint64
	Ints   [3]int
	Float  float64
	Bool   bool
	String string
	Floats []float64
}

func write(v values) []byte {
	w := wire.NewWriter("magic")
	w.Uint(v.Uint)
	for _, n := range v.Ints {
		w.Int(n)
	}
	w.Float(v.Float)
	w.Bool(v.Bool)
	w.String(v.String)
	w.Floats(v.Floats)
	return w.Sealed()
}

func read(data []byte) (values, bool) {
	r := wire.NewReader(data, "magic")
	v := values{r.Uint(), [3]int{r.Int(), r.Int(), r.Int()}, r.Float(), r.Bool(), r.String(), r.Floats()}
	return v, r.Done()
}

// Numbers beyond 2^31 and 2^32 are read as written.
func TestReader_ReadsWhatWasWritten(t *testing.T) {
	t.Parallel()
	want := values{math.MaxUint64, [3]int{0, math.MaxInt >> 29, math.MaxInt}, -0.5, true, "a string", []float64{1, math.Inf(1)}}
	data := write(want)
	got, ok := read(data)
	if diff := cmp.Diff(got, want); !ok || diff != "" {
		t.Errorf("done %v (-got +want):\n%s", ok, diff)
	}
	for i := range data {
		for name, wrong := range map[string][]byte{"cut": data[:i], "changed": bytes.Clone(data)} {
			if name == "changed" {
				wrong[i] ^= 4
			}
			if _, ok := read(wrong); ok {
				t.Errorf("%s at %d: it is not bad", name, i)
			}
		}
	}
}

// A length beyond the input allocates nothing, and invalid integers and booleans are errors.
func TestReader_Bad(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]func(*wire.Reader){
		"list":   func(r *wire.Reader) { r.Floats() },
		"string": func(r *wire.Reader) { _ = r.String() },
		"int":    func(r *wire.Reader) { r.Int() },
		"bool":   func(r *wire.Reader) { r.Bool() },
		"end":    func(r *wire.Reader) { r.Uint(); r.Uint() },
		"left":   func(*wire.Reader) {},
		"wrong":  func(r *wire.Reader) { r.Refuse(r.Uint() > 7) },
	} {
		w := wire.NewWriter("")
		w.Uint(math.MaxUint64)
		r := wire.NewReader(w.Sealed(), "")
		if f(r); r.Done() {
			t.Errorf("%s: it is not bad", name)
		}
	}
}

// coded has a field of each kind.
type coded struct {
	values
	Int64 int64
	Bytes []byte
	List  []values
}

func (v *values) Code(c wire.Coder) {
	c.Code(&v.Uint, &v.Ints[0], &v.Ints[1], &v.Ints[2], &v.Float, &v.Bool, &v.String, &v.Floats)
}

func (v *coded) Code(c wire.Coder) {
	c.Code(&v.values, &v.Int64, &v.Bytes)
	wire.Items(c, &v.List, 8, func(e *values) { e.Code(c) })
}

// Fields are written as the methods of a writer write them, and read back; a list that is longer than the input is refused.
func TestCode(t *testing.T) {
	t.Parallel()
	one := values{1, [3]int{2, 3, 4}, 5.5, true, "six", []float64{7}}
	want := coded{one, 8, []byte("nine"), []values{one, {String: "ten", Floats: []float64{}}}}
	w := wire.NewWriter("magic")
	w.Code(&want)
	by := wire.NewWriter("magic")
	each := func(v values) {
		by.Uint(v.Uint)
		for _, n := range v.Ints {
			by.Int(n)
		}
		by.Float(v.Float)
		by.Bool(v.Bool)
		by.String(v.String)
		by.Floats(v.Floats)
	}
	each(one)
	by.Int(8)
	by.String("nine")
	by.Int(2)
	for _, v := range want.List {
		each(v)
	}
	if !bytes.Equal(w.Sealed(), by.Sealed()) {
		t.Errorf("got %x, want %x", w.Sealed(), by.Sealed())
	}
	var got coded
	r := wire.NewReader(w.Sealed(), "magic")
	r.Code(&got)
	if diff := cmp.Diff(got, want, cmp.AllowUnexported(coded{})); !r.Done() || diff != "" {
		t.Errorf("done %v (-got +want):\n%s", r.Done(), diff)
	}
	long := wire.NewWriter("")
	long.Int(1 << 40)
	r = wire.NewReader(long.Sealed(), "")
	if wire.Items(r, &got.List, 8, func(*values) {}); r.Good() || len(got.List) > 0 {
		t.Error("a list longer than the input is read")
	}
}
