package selftest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// kind is a family of networks that samplers find hard, in random sizes and with random weights.
type kind struct {
	name string
	draw func(r *rand.Rand, atoms int) (model, db string) // of about so many atoms
}

// kinds lists them.
func kinds() []kind {
	return []kind{
		{"ring of attraction", func(r *rand.Rand, n int) (string, string) {
			w := uniform(r, 0.5, 4)
			return attraction(w), graph(r, n, ringEdges(n), nil)
		}},
		{"grid of attraction", func(r *rand.Rand, n int) (string, string) {
			rows := 2 + r.IntN(3)
			return attraction(uniform(r, 0.5, 2.5)), graph(r, rows*(n/rows), gridEdges(rows, n/rows), nil)
		}},
		{"frustrated grid", func(r *rand.Rand, n int) (string, string) {
			rows := 2 + r.IntN(3)
			e, f := split(r, gridEdges(rows, n/rows))
			w := uniform(r, 0.5, 4)
			return header + fmt.Sprintf("%[1]v e(x,y) ^ s(x) => s(y)\n%[1]v e(x,y) ^ s(y) => s(x)\n%[1]v f(x,y) ^ s(x) => !s(y)\n%[1]v f(x,y) => s(x) v s(y)\n", w),
				graph(r, rows*(n/rows), e, f)
		}},
		{"clique of attraction", func(r *rand.Rand, n int) (string, string) {
			n = min(n, 20)
			return attraction(uniform(r, 2, 10) / float64(n)), graph(r, n, cliqueEdges(n), nil)
		}},
		{"colours", func(r *rand.Rand, n int) (string, string) {
			colours := 3 + r.IntN(2)
			nodes := max(3, n/colours)
			return fmt.Sprintf(`
e(n, n)
pref(n, col)
target c(n, col)
!c(x,a) v !c(x,b) v a = b.
EXIST a c(x,a).
!e(x,y) v !c(x,a) v !c(y,a).
%v pref(x,a) => c(x,a)
`, uniform(r, 0.2, 1.5)), values(r, nodes, colours, ringEdges(nodes))
		}},
		{"values that attract or repel", func(r *rand.Rand, n int) (string, string) {
			k := 3 + r.IntN(2)
			nodes := max(3, n/k)
			one := "EXIST a c(x,a).\n"
			if r.IntN(3) == 0 {
				one = ""
			}
			return fmt.Sprintf(`
e(n, n)
pref(n, col)
target c(n, col)
!c(x,a) v !c(x,b) v a = b.
%s%v e(x,y) ^ c(x,a) ^ c(y,a)
%v pref(x,a) => c(x,a)
`, one, uniform(r, -3, 3), uniform(r, 0.2, 1.5)), values(r, nodes, k, ringEdges(nodes))
		}},
		{"parity of threes", func(r *rand.Rand, n int) (string, string) {
			w := uniform(r, 1, 4)
			if r.IntN(3) == 0 {
				w *= 4
			}
			var db strings.Builder
			entities(&db, n)
			for range n*3/4 + r.IntN(n/4) {
				p := r.Perm(n)
				fmt.Fprintf(&db, "x(X%d,X%d,X%d)\n", p[0], p[1], p[2])
			}
			fields(&db, r, n)
			return parityModel(w), db.String()
		}},
		{"chain of parity", func(r *rand.Rand, n int) (string, string) {
			var db strings.Builder
			entities(&db, n)
			for i := range n - 2 {
				fmt.Fprintf(&db, "x(X%d,X%d,X%d)\n", i, i+1, i+2)
			}
			fields(&db, r, n)
			return parityModel(uniform(r, 1, 15)), db.String()
		}},
		{"equivalences", func(r *rand.Rand, n int) (string, string) {
			var db strings.Builder
			entities(&db, n)
			for range n*3/4 + r.IntN(n/4) {
				p := r.Perm(n)
				fmt.Fprintf(&db, "x(X%d,X%d,X%d)\n", p[0], p[1], p[2])
			}
			fields(&db, r, n)
			return fmt.Sprintf("x(n, n, n)\nh(n, k)\ntarget s(n)\n%v x(a,b,c) => ((s(a) <=> s(b)) <=> s(c))\n", uniform(r, 0.5, 15)) + fieldFormulas, db.String()
		}},
		{"transitive relation", func(r *rand.Rand, n int) (string, string) {
			size := 3
			for (size+1)*(size+1) <= n {
				size++
			}
			var db strings.Builder
			entities(&db, size)
			for i := range size {
				for j := range size {
					if r.IntN(4) == 0 {
						fmt.Fprintf(&db, "o(X%d,X%d)\n", i, j)
					}
				}
			}
			return fmt.Sprintf("o(n, n)\ntarget r(n, n)\nr(x,y) ^ r(y,z) => r(x,z).\n%v o(x,y) => r(x,y)\n%v r(x,y)\n",
				uniform(r, 0.3, 2), uniform(r, -1, 0.5)), db.String()
		}},
		{"something for each", func(r *rand.Rand, n int) (string, string) {
			rows, columns := max(2, n/5-1), 3
			var db strings.Builder
			entities(&db, rows)
			fmt.Fprint(&db, "@entity m U V W\n")
			for i := range rows {
				fmt.Fprintf(&db, "o(X%d,%c)\n", i, "UVW"[r.IntN(columns)])
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
`, uniform(r, 1, 8), uniform(r, 0.5, 6)), db.String()
		}},
	}
}

const (
	fieldFormulas = "-0.3 h(x,K0) => s(x)\n0.3 h(x,K1) => s(x)\n0.6 h(x,K2) => s(x)\n"
	header        = "e(n, n)\nf(n, n)\nh(n, k)\ntarget s(n)\n" + fieldFormulas
)

func attraction(w float64) string {
	return header + fmt.Sprintf("%[1]v e(x,y) ^ s(x) => s(y)\n%[1]v e(x,y) ^ s(y) => s(x)\n", w)
}

func parityModel(w float64) string {
	return fmt.Sprintf(`x(n, n, n)
h(n, k)
target s(n)
%[1]v !x(a,b,c) v s(a) v s(b) v s(c)
%[1]v !x(a,b,c) v s(a) v !s(b) v !s(c)
%[1]v !x(a,b,c) v !s(a) v s(b) v !s(c)
%[1]v !x(a,b,c) v !s(a) v !s(b) v s(c)
`, w) + fieldFormulas
}

// uniform draws a number to three decimals.
func uniform(r *rand.Rand, lo, hi float64) float64 {
	return float64(int((lo+float64(r.Float64()*(hi-lo)))*1000)) / 1000
}

type edge [2]int

func ringEdges(n int) (out []edge) {
	for i := range n {
		out = append(out, edge{i, (i + 1) % n})
	}
	return out
}

func gridEdges(rows, columns int) (out []edge) {
	for i := range rows * columns {
		if i%columns+1 < columns {
			out = append(out, edge{i, i + 1})
		}
		if i+columns < rows*columns {
			out = append(out, edge{i, i + columns})
		}
	}
	return out
}

func cliqueEdges(n int) (out []edge) {
	for i := range n {
		for j := range i {
			out = append(out, edge{j, i})
		}
	}
	return out
}

// split divides edges at random.
func split(r *rand.Rand, edges []edge) (a, b []edge) {
	for _, e := range edges {
		if r.IntN(2) == 0 {
			a = append(a, e)
		} else {
			b = append(b, e)
		}
	}
	return a, b
}

func entities(db *strings.Builder, n int) {
	db.WriteString("@entity n")
	for i := range n {
		fmt.Fprintf(db, " X%d", i)
	}
	db.WriteString("\n")
}

// fields gives most atoms one.
func fields(db *strings.Builder, r *rand.Rand, n int) {
	for i := range n {
		if k := r.IntN(4); k < 3 {
			fmt.Fprintf(db, "h(X%d,K%d)\n", i, k)
		}
	}
}

func graph(r *rand.Rand, n int, e, f []edge) string {
	var db strings.Builder
	entities(&db, n)
	for _, p := range e {
		fmt.Fprintf(&db, "e(X%d,X%d)\n", p[0], p[1])
	}
	for _, p := range f {
		fmt.Fprintf(&db, "f(X%d,X%d)\n", p[0], p[1])
	}
	fields(&db, r, n)
	return db.String()
}

// values are nodes that each have one of k values, and prefer some.
func values(r *rand.Rand, nodes, k int, edges []edge) string {
	var db strings.Builder
	entities(&db, nodes)
	fmt.Fprint(&db, "@entity col")
	for i := range k {
		fmt.Fprintf(&db, " C%d", i)
	}
	db.WriteString("\n")
	for _, p := range edges {
		fmt.Fprintf(&db, "e(X%d,X%d)\n", p[0], p[1])
	}
	for i := range nodes {
		if r.IntN(2) == 0 {
			fmt.Fprintf(&db, "pref(X%d,C%d)\n", i, r.IntN(k))
		}
	}
	return db.String()
}
