package selftest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// kind is a family of networks that samplers find hard, in random sizes and with random weights.
type kind struct {
	name string
	draw func(d *drawing, atoms int) (model string) // writes facts about roughly that many atoms
}

// kinds lists the kinds of networks.
func kinds() []kind {
	return []kind{
		{"ring of attraction", func(d *drawing, n int) string {
			w := d.uniform(0.5, 4)
			d.ring(n)
			d.fields(n)
			return attraction(w)
		}},
		{"grid of attraction", func(d *drawing, n int) string {
			n = d.grid(n, func() string { return "e" })
			w := d.uniform(0.5, 2.5)
			d.fields(n)
			return attraction(w)
		}},
		{"frustrated grid", func(d *drawing, n int) string {
			n = d.grid(n, func() string { return []string{"e", "f"}[d.IntN(2)] })
			w := d.uniform(0.5, 4)
			d.fields(n)
			return attraction(w) + fmt.Sprintf("%[1]v f(x,y) ^ s(x) => !s(y)\n%[1]v f(x,y) => s(x) v s(y)\n", w)
		}},
		{"clique of attraction", func(d *drawing, n int) string {
			n = min(n, 20)
			w := d.uniform(2, 10) / float64(n)
			d.entities("n X", n)
			for i := range n {
				for j := range i {
					d.fact("e(X%d,X%d)", j, i)
				}
			}
			d.fields(n)
			return attraction(w)
		}},
		{"colours", func(d *drawing, n int) string {
			colours := 3 + d.IntN(2)
			return d.values(max(3, n/colours), colours, "EXIST a c(x,a).\n!e(x,y) v !c(x,a) v !c(y,a).\n")
		}},
		{"values that attract or repel", func(d *drawing, n int) string {
			k, one := 3+d.IntN(2), "EXIST a c(x,a).\n"
			if d.IntN(3) == 0 {
				one = ""
			}
			return d.values(max(3, n/k), k, one+fmt.Sprintf("%v e(x,y) ^ c(x,a) ^ c(y,a)\n", d.uniform(-3, 3)))
		}},
		{"parity of threes", func(d *drawing, n int) string {
			w := d.uniform(1, 4)
			if d.IntN(3) == 0 {
				w *= 4
			}
			d.threes(n)
			return fmt.Sprintf(parityModel, w)
		}},
		{"chain of parity", func(d *drawing, n int) string {
			d.entities("n X", n)
			for i := range n - 2 {
				d.fact("x(X%d,X%d,X%d)", i, i+1, i+2)
			}
			d.fields(n)
			return fmt.Sprintf(parityModel, d.uniform(1, 15))
		}},
		{"equivalences", func(d *drawing, n int) string {
			d.threes(n)
			return fmt.Sprintf("x(n, n, n)\nh(n, k)\ntarget s(n)\n%v x(a,b,c) => ((s(a) <=> s(b)) <=> s(c))\n", d.uniform(0.5, 15)) + fieldFormulas
		}},
		{"transitive relation", func(d *drawing, n int) string {
			size := 3
			for (size+1)*(size+1) <= n {
				size++
			}
			d.entities("n X", size)
			for i := range size * size {
				if d.IntN(4) == 0 {
					d.fact("o(X%d,X%d)", i/size, i%size)
				}
			}
			return fmt.Sprintf("o(n, n)\ntarget r(n, n)\nr(x,y) ^ r(y,z) => r(x,z).\n%v o(x,y) => r(x,y)\n%v r(x,y)\n",
				d.uniform(0.3, 2), d.uniform(-1, 0.5))
		}},
		{"something for each", func(d *drawing, n int) string {
			rows := max(2, n/5-1)
			d.entities("n X", rows)
			d.entities("m Y", 3)
			for i := range rows {
				d.fact("o(X%d,Y%d)", i, d.IntN(3))
			}
			return fmt.Sprintf(`
o(n, m)
target p(n)
target q(n, m)
target s(m)
%v p(x) => EXIST y q(x,y)
%v q(x,y) => s(y)
-1.5 q(x,y)
0.7 o(x,y) => q(x,y)
1.3 p(x)
-0.5 s(y)
`, d.uniform(1, 8), d.uniform(0.5, 6))
		}},
	}
}

const (
	fieldFormulas = "-0.3 h(x,K0) => s(x)\n0.3 h(x,K1) => s(x)\n0.6 h(x,K2) => s(x)\n"

	parityModel = `x(n, n, n)
h(n, k)
target s(n)
%[1]v !x(a,b,c) v s(a) v s(b) v s(c)
%[1]v !x(a,b,c) v s(a) v !s(b) v !s(c)
%[1]v !x(a,b,c) v !s(a) v s(b) v !s(c)
%[1]v !x(a,b,c) v !s(a) v !s(b) v s(c)
` + fieldFormulas
)

func attraction(w float64) string {
	return "e(n, n)\nf(n, n)\nh(n, k)\ntarget s(n)\n" + fieldFormulas +
		fmt.Sprintf("%[1]v e(x,y) ^ s(x) => s(y)\n%[1]v e(x,y) ^ s(y) => s(x)\n", w)
}

// drawing is a set of random facts being written.
type drawing struct {
	*rand.Rand
	db strings.Builder
}

// uniform draws a number with three decimals.
func (d *drawing) uniform(lo, hi float64) float64 {
	return float64(int((lo+float64(d.Float64()*(hi-lo)))*1000)) / 1000
}

func (d *drawing) fact(format string, args ...any) { fmt.Fprintf(&d.db, format+"\n", args...) }

// entities declares n entities of a type, as a prefix with a number.
func (d *drawing) entities(typeAndPrefix string, n int) {
	for i := range n {
		d.fact("@entity %s%d", typeAndPrefix, i)
	}
}

// fields gives most atoms a field.
func (d *drawing) fields(n int) {
	for i := range n {
		if k := d.IntN(4); k < 3 {
			d.fact("h(X%d,K%d)", i, k)
		}
	}
}

func (d *drawing) ring(n int) {
	d.entities("n X", n)
	for i := range n {
		d.fact("e(X%d,X%d)", i, (i+1)%n)
	}
}

// grid draws a grid of two to four rows with n nodes or slightly fewer, and returns their number.
func (d *drawing) grid(n int, relation func() string) int {
	rows := 2 + d.IntN(3)
	columns := n / rows
	n = rows * columns
	d.entities("n X", n)
	for i := range n {
		if i%columns+1 < columns {
			d.fact("%s(X%d,X%d)", relation(), i, i+1)
		}
		if i+columns < n {
			d.fact("%s(X%d,X%d)", relation(), i, i+columns)
		}
	}
	return n
}

// threes draws random triples.
func (d *drawing) threes(n int) {
	d.entities("n X", n)
	for range n*3/4 + d.IntN(n/4) {
		p := d.Perm(n)
		d.fact("x(X%d,X%d,X%d)", p[0], p[1], p[2])
	}
	d.fields(n)
}

// values draws a ring of nodes, each with at most one of k values, and with preferences.
func (d *drawing) values(nodes, k int, formulas string) (model string) {
	model = fmt.Sprintf("e(n, n)\npref(n, col)\ntarget c(n, col)\n!c(x,a) v !c(x,b) v a = b.\n%s%v pref(x,a) => c(x,a)\n", formulas, d.uniform(0.2, 1.5))
	d.ring(nodes)
	d.entities("col C", k)
	for i := range nodes {
		if d.IntN(2) == 0 {
			d.fact("pref(X%d,C%d)", i, d.IntN(k))
		}
	}
	return model
}
