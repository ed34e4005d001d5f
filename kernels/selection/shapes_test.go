package selection_test

import "testing"

const shapesModel = `
mark(item)
link(item, item)
edit(item, user)
tag(item, user, user)
only(word)
target act(item, user)
target near(item, item)
target sole(item)
target listed pick(item, user)
target listed rate(item, user, item)
`

const shapesFacts = `
@subgraph full center=A0
@entity item A5
@entity user B5
mark(A0)
mark(A2)
link(A0, A1)
link(A1, A2)
link(A2, A2)
link(A2, A0)
edit(A0, B0)
edit(A1, B1)
edit(A2, B0)
tag(A0, B0, B1)
tag(A1, B1, B1)
act(A0, B0)
act(A1, B1)
act(A2, B1)
?act(A2, B0)
near(A0, A0)
near(A1, A0)
near(A2, A1)
?near(A1, A1)
sole(A0)
sole(A2)
pick(A0, B0)
!pick(A0, B1)
pick(A1, B0)
?pick(A2, B0)
rate(A0, B0, A0)
rate(A0, B0, A1)
!rate(A1, B1, A1)
rate(A2, B1, A2)
@subgraph absent center=A7
@entity user B0
link(A1, A3)
act(A1, B2)
near(A3, A3)
!pick(A1, B0)
@subgraph no_item center=A0
@entity user B0 B1
@subgraph empty center=A0
`

func TestCounter_Shapes(t *testing.T) {
	t.Parallel()
	for name, formula := range map[string]string{
		"no selector":                            "sole(x)",
		"no selector, two literals":              "act(x, u) ^ act(y, u)",
		"constant in a target literal":           "edit(x, u) => act(x, B0)",
		"two constants":                          "edit(x, u) => act(A0, B0)",
		"constant that some subgraphs lack":      "edit(x, u) => pick(A5, u)",
		"constant that no subgraph has":          "link(x, y) => near(A9, x)",
		"constant under negation":                "!link(x, A9) => near(x, x)",
		"center":                                 "link(@center, y) => near(@center, y)",
		"center in a target literal alone":       "mark(x) => near(@center, x)",
		"center beside a constant":               "near(@center, x) ^ near(A0, x)",
		"repeated variable":                      "link(x, x) => near(x, x)",
		"repeated variable beside its pattern":   "near(x, x) ^ near(x, y)",
		"arity 3":                                "tag(x, u, w) => rate(x, u, x)",
		"arity 3, twice":                         "link(x, y) ^ rate(x, u, z) => rate(y, u, z)",
		"arity 3 beside arity 2":                 "rate(x, u, y) ^ pick(x, u) => pick(y, u)",
		"atoms that may coincide":                "link(x, y) ^ near(x, y) => near(y, x)",
		"atoms that may coincide by one":         "near(x, y) ^ near(x, z)",
		"atoms that coincide with a constant":    "act(x, B0) ^ act(x, u)",
		"three atoms that may coincide":          "near(x, y) ^ near(y, z) ^ near(z, x)",
		"three literals of one argument":         "sole(x) ^ sole(y) ^ sole(z)",
		"two pairs that may coincide":            "act(x, u) ^ act(y, w) ^ pick(x, u) ^ pick(y, w)",
		"unbound variable":                       "mark(x) => act(y, u)",
		"unbound variable of a listed target":    "mark(x) => pick(y, u)",
		"selector apart from the target":         "mark(z) ^ link(z, w) => act(x, u)",
		"equal variables":                        "link(x, y) ^ x = y => near(x, y)",
		"equal variables of the selector":        "link(x, y) ^ link(z, w) ^ y = z => near(x, w)",
		"equal to a constant":                    "link(x, y) ^ x = A0 => near(x, y)",
		"equal to a constant that may be absent": "edit(y, u) ^ x = A5 ^ !mark(x) => act(x, u)",
		"equal to the center":                    "edit(y, u) ^ x = @center => act(x, u)",
		"center equal to a constant":             "mark(x) ^ x = @center ^ x = A0 => sole(x)",
		"unequal variables":                      "link(x, y) ^ x != y => near(x, y)",
		"unequal to a constant":                  "link(x, y) ^ y != A0 => near(x, y)",
		"unequal to the center":                  "link(x, y) ^ y != @center => near(x, y)",
		"unequal to itself":                      "mark(x) ^ x != x => sole(x)",
		"unequal to what it is equal to":         "link(x, y) ^ x = y ^ x != y => near(x, y)",
		"unequal all":                            "near(x, y) ^ near(y, z) ^ x != y ^ y != z ^ x != z",
		"selector that contradicts itself":       "mark(x) ^ !mark(x) => sole(x)",
		"negated selector":                       "!mark(x) ^ !link(x, y) => near(x, y)",
		"negated selector over inner variables":  "!link(x, y) ^ !link(y, z) => near(x, z)",
		"domain of no entity":                    "only(k) ^ mark(x) => sole(x)",
		"domain of no entity under negation":     "!only(k) ^ mark(x) => sole(x)",
		"cycle":                                  "link(x, y) ^ link(y, z) ^ link(z, x) => near(x, y)",
		"clique of inner variables": "link(x, a) ^ link(x, b) ^ link(x, c) ^ !link(a, b) ^ !link(b, c) ^ !link(a, c) => " +
			"sole(x)",
		"chain of three targets":                  "link(x, y) ^ link(y, z) ^ act(x, B0) ^ sole(y) => pick(z, B0)",
		"chain of three targets, the ends linked": "link(x, y) ^ link(y, z) ^ link(x, z) ^ act(x, B0) ^ sole(y) => pick(z, B0)",
		"three targets under one":                 "edit(x, u) ^ edit(y, u) ^ mark(z) ^ sole(z) ^ pick(z, u) => act(x, u)",
		"wide literal over inner variables":       "tag(a, u, w) ^ edit(a, w) => act(x, u)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkCounts(t, load(t, shapesModel+formula+"\n", shapesFacts), 0)
		})
	}
}
