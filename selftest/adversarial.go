package selftest

import "fmt"

// adversarialCase is a network that samplers are known to get wrong.
type adversarialCase struct {
	name, model, db string
	far             bool // single flips hardly ever get from one mode to another
}

// adversarial lists them.
func adversarial() []adversarialCase {
	return []adversarialCase{
		{name: "hard H v S, each 2/3", model: `
target h(person)
target s(person)
h(x) v s(x).
`, db: "@entity person A"},
		{name: "hard H => S, 1/3 and 2/3", model: `
target h(person)
target s(person)
h(x) => s(x).
`, db: "@entity person A"},
		{name: "hard conjunction", model: `
target h(person)
target s(person)
target t(person)
h(x) ^ s(x).
1.2 s(x) => t(x)
-0.8 t(x) ^ t(y) ^ x != y
`, db: "@entity person A B"},
		{name: "soft conjunction of weight 10000", model: `
target h(person)
target s(person)
target t(person)
10000 h(x) ^ s(x)
1.2 s(x) => t(x)
-0.8 t(x) ^ t(y) ^ x != y
`, db: "@entity person A B"},
		{name: "hard chain", model: `
next(person, person)
target m(person)
next(x, y) ^ m(x) => m(y).
0.5 m(x)
`, db: "next(A, B)\nnext(B, C)\nnext(D, C)\nnext(C, E)"},
		{name: "hard exactly one of five", model: `
mark(item)
target pick(item)
EXIST x pick(x).
pick(x) ^ pick(y) => x = y.
0.7 mark(x) ^ pick(x)
-0.4 !mark(x) ^ pick(x)
`, db: "@entity item A B C D E\nmark(A)\nmark(C)"},
		{name: "hard parity", model: `
target a(item)
target b(item)
target c(item)
(a(x) <=> b(x)) <=> c(x).
0.6 a(x)
0.9 a(x) ^ b(y) ^ x != y
`, db: "@entity item A B"},
		{name: "frustrated ring", model: `
next(item, item)
target m(item)
-1.5 next(x, y) ^ m(x) ^ m(y)
0.6 m(x)
`, db: "next(A, B)\nnext(B, C)\nnext(C, D)\nnext(D, E)\nnext(E, A)"},
		{name: "conjunctions of four, both signs", model: `
next(item, item)
target m(item)
target n(item)
2 next(x, y) ^ m(x) ^ n(x) ^ !m(y) ^ n(y)
-2 next(x, y) ^ !m(x) ^ !n(x) ^ n(y) ^ !m(y)
`, db: "next(A, B)\nnext(B, C)\nnext(C, A)"},
		{name: "colours of a ring", far: true, model: `
e(n, n)
pref(n, col)
target c(n, col)
!c(x, a) v !c(x, b) v a = b.
EXIST a c(x, a).
!e(x, y) v !c(x, a) v !c(y, a).
0.9 pref(x, a) => c(x, a)
`, db: "@entity col R G B\ne(A, B)\ne(B, C)\ne(C, D)\ne(D, A)\npref(A, R)\npref(B, R)\npref(C, G)"},
		{name: "at most one of three, tied", model: `
e(n, n)
col = {R, G, B}
target c(n, col)
target s(n)
!c(x, a) v !c(x, b) v a = b.
e(x, y) ^ c(x, R) => !c(y, G).
0.8 e(x, y) ^ c(x, a) ^ c(y, a)
1.1 s(x) => c(x, R)
-0.5 e(x, y) ^ s(x) ^ c(x, B) ^ c(y, R)
`, db: "e(X, Y)\ne(Y, Z)"},
		{name: "exactly one of four, tied to other values", model: `
e(n, n)
col = {R, G, B, W}
target c(n, col)
target s(n)
!c(x, a) v !c(x, b) v a = b.
EXIST a c(x, a).
e(x, y) ^ c(x, R) ^ s(x) => c(y, G) v c(y, W).
1.3 e(x, y) ^ c(x, a) ^ c(y, a)
-0.7 e(x, y) ^ c(x, R) ^ c(y, B)
0.6 s(x) ^ c(x, R)
`, db: "e(X, Y)"},
		{name: "far modes", far: true, model: `
target m(item)
2 m(x) ^ x != y => m(y)
-0.3 m(x)
`, db: "@entity item A B C D E F"},
		{name: "far modes of two colours", far: true, model: `
next(item, item)
target m(item)
3 next(x, y) => (m(x) <=> !m(y))
0.4 m(A)
`, db: "next(A, D)\nnext(A, E)\nnext(A, F)\nnext(B, D)\nnext(B, E)\nnext(B, F)\nnext(C, D)\nnext(C, E)\nnext(C, F)"},
	}
}

// unitWeights are the weights from -3 to 3 of an atom whose marginal is logistic: alone, or tied to another atom that does
// not change it.
func unitWeights(tied bool) []adversarialCase {
	var out []adversarialCase
	for w := -3; w <= 3; w++ {
		t := adversarialCase{name: fmt.Sprint("unit weight ", w), model: fmt.Sprintf("target q(item)\n%d q(x)\n", w), db: "@entity item A"}
		if tied {
			t.model = fmt.Sprintf("target q(item)\ntarget r(item)\n%d q(x)\n1.2 q(x) <=> r(x)\n", w)
		}
		out = append(out, t)
	}
	return out
}
