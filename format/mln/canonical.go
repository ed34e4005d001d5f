package mln

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"resolwe/internal/elementary"
)

// Canonical returns a text that is equal for two formulas exactly if they are equal up to renaming variables and reordering conjuncts,
// disjuncts and the two sides of = and !=. It ignores weights, but not shapes and the heads of formulas with one.
//
// Variables are coloured by their places in the formula until the colours are stable. If several share a colour, each in turn is given its
// own; the result is the least of the texts from the full colourings. Branches that an automorphism maps to one another are followed once
// (McKay, Practical Graph Isomorphism, 1981).
func Canonical(f *Formula) string {
	colours := make([]int, len(f.Vars))
	for v := f.Free; v < len(colours); v++ {
		colours[v] = f.Free
	}
	return f.prefix() + leastText(headed(f), colours)
}

// CanonicalLiteral returns a text that is equal for two literals exactly if they are equal up to reordering and renaming the variables of a
// counting literal.
func CanonicalLiteral(l Literal, vars []Variable) string {
	var local []int
	if l.Count != nil {
		local = slices.Concat(l.Count.Listed, l.Count.Inner)
	}
	colours, order := make([]int, len(vars)), 0
	for v := range colours {
		if slices.Contains(local, v) {
			colours[v] = len(vars) - len(local)
		} else {
			colours[v] = order
			order++
		}
	}
	return leastText(toNode(l.Expr(), vars), colours)
}

// leastText returns the least text of a tree with coloured variables.
func leastText(root *Node, colours []int) string {
	s := labelling{root: countless(root), variables: len(colours)}
	s.search(colours)
	return s.best.text
}

// countless returns a tree with EXIST in place of counting literals that compare with 1.
func countless(n *Node) *Node {
	if !n.has(OpCount) {
		return n
	}
	n = n.mapped(countless)
	if n.Op != OpCount || n.Kind != AggregateCount || n.K != 1 || n.Cmp != AtLeast && n.Cmp != Less {
		return n
	}
	exists := &Node{Op: OpExists, Args: slices.Concat(n.Args, n.Inner), Xs: n.Xs}
	if n.Cmp == Less {
		return negated(exists)
	}
	return exists
}

// labelling is the search for the least text.
type labelling struct {
	root          *Node
	variables     int
	path          []int   // the variables given their own colour so far
	automorphisms [][]int // images of the variables
	first, best   leaf
}

// leaf is a full colouring: every variable has its own colour.
type leaf struct {
	text    string
	colours []int
	path    []int
}

// search follows the branches below a colouring. It returns the length of the path from which the search continues: shorter than the
// current one if the rest of this branch is the image of one already followed.
func (s *labelling) search(colours []int) int {
	colours = s.refine(colours)
	cell := firstCell(colours)
	if cell == nil {
		return s.finish(colours)
	}
	depth := len(s.path)
	var followed []int
	for _, v := range cell {
		if s.equivalent(v, followed) {
			continue
		}
		followed = append(followed, v)
		apart := slices.Clone(colours)
		for _, u := range cell {
			if u != v {
				apart[u]++
			}
		}
		s.path = append(s.path, v)
		back := s.search(apart)
		s.path = s.path[:depth]
		if back < depth {
			return back
		}
	}
	return depth
}

// firstCell returns the variables of the least colour that several share, nil for none.
func firstCell(colours []int) []int {
	cells := make([][]int, len(colours))
	for v, c := range colours {
		cells[c] = append(cells[c], v)
	}
	if i := slices.IndexFunc(cells, func(cell []int) bool { return len(cell) > 1 }); i >= 0 {
		return cells[i]
	}
	return nil
}

// finish compares a full colouring with earlier ones.
func (s *labelling) finish(colours []int) int {
	here := leaf{canonicalText(s.root, colours), colours, slices.Clone(s.path)}
	if s.first.colours == nil {
		s.first, s.best = here, here
		return len(s.path)
	}
	for _, old := range []leaf{s.first, s.best} {
		if old.text == here.text {
			s.addAutomorphism(here.colours, old.colours)
			return commonPrefix(here.path, old.path)
		}
	}
	if here.text < s.best.text {
		s.best = here
	}
	return len(s.path)
}

// addAutomorphism records the map between variables of the same colour in two full colourings.
func (s *labelling) addAutomorphism(from, to []int) {
	byColour := make([]int, len(to))
	for v, c := range to {
		byColour[c] = v
	}
	image := make([]int, len(from))
	for v, c := range from {
		image[v] = byColour[c]
	}
	s.automorphisms = append(s.automorphisms, image)
}

func commonPrefix(a, b []int) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// equivalent reports whether an automorphism that fixes the path maps v to a variable already followed.
func (s *labelling) equivalent(v int, followed []int) bool {
	orbit := s.orbits()
	return slices.ContainsFunc(followed, func(u int) bool { return orbit[u] == orbit[v] }) ||
		slices.ContainsFunc(followed, func(u int) bool { return s.interchangeable(u, v) })
}

// orbits returns a representative for each variable, the same for variables that automorphisms fixing the path map to one another.
func (s *labelling) orbits() []int {
	parent := make([]int, s.variables)
	for v := range parent {
		parent[v] = v
	}
	find := func(v int) int {
		for parent[v] != v {
			v = parent[v]
		}
		return v
	}
	for _, image := range s.automorphisms {
		if slices.ContainsFunc(s.path, func(v int) bool { return image[v] != v }) {
			continue
		}
		for v, w := range image {
			parent[find(v)] = find(w)
		}
	}
	for v := range parent {
		parent[v] = find(v)
	}
	return parent
}

// interchangeable reports whether swapping two variables leaves the formula unchanged.
func (s *labelling) interchangeable(u, v int) bool {
	colours := make([]int, s.variables)
	for i := range colours {
		colours[i] = i
	}
	before := canonicalText(s.root, colours)
	colours[u], colours[v] = v, u
	if canonicalText(s.root, colours) != before {
		return false
	}
	s.automorphisms = append(s.automorphisms, colours)
	return true
}

// refine splits colours by the places of their variables until no colour splits. A colour is the number of variables of lesser colours.
func (s *labelling) refine(colours []int) []int {
	colours = slices.Clone(colours)
	order := make([]int, len(colours))
	places := make([]uint64, len(colours))
	for v := range order {
		order[v] = v
	}
	for count := 0; ; {
		for v := range places {
			places[v] = place(s.root, colours, v)
		}
		slices.SortFunc(order, func(u, v int) int {
			return cmp.Or(cmp.Compare(colours[u], colours[v]), cmp.Compare(places[u], places[v]))
		})
		next := make([]int, len(colours))
		classes := 0
		for i, v := range order {
			if i > 0 && colours[order[i-1]] == colours[v] && places[order[i-1]] == places[v] {
				next[v] = next[order[i-1]]
			} else {
				next[v] = i
				classes++
			}
		}
		if classes == count {
			return next
		}
		colours, count = next, classes
	}
}

// place returns a number for the place of variable marked in a tree, in which variables of one colour are equal. Equal places give equal
// numbers; collisions only cost time.
func place(n *Node, colours []int, marked int) uint64 {
	h, sum := uint64(n.Op), uint64(0)
	if text := n.label(); text != "" {
		h = mixText(h, text)
	}
	part := func(with uint64) {
		if sum += scramble(with); !n.Op.commutes() {
			h = mix(h, with)
		}
	}
	for i, t := range n.Args {
		with := termPlace(t, colours, marked)
		switch {
		case !n.binds():
			part(with)
		case i < n.Kind.Leading():
			h = mix(h, with)
		default:
			sum += scramble(with)
		}
	}
	if n.binds() {
		h = mix(h, sum)
	}
	for _, x := range n.Xs {
		part(place(x, colours, marked))
	}
	if n.Op.commutes() {
		h = mix(h, sum)
	}
	return h
}

func termPlace(t Term, colours []int, marked int) uint64 {
	switch {
	case t.Kind == TermConstant:
		return mixText(10, t.Name)
	case t.Kind == TermCenter:
		return 11
	case t.Var == marked:
		return 12
	}
	return mix(13, uint64(colours[t.Var]))
}

// scramble is the finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
func scramble(h uint64) uint64 { return elementary.Mix(h - elementary.Golden) }

func mix(h, with uint64) uint64 { return scramble(h*elementary.Golden + with) }

func mixText(h uint64, text string) uint64 {
	for i := range len(text) {
		h = h*1099511628211 ^ uint64(text[i])
	}
	return mix(h, uint64(len(text)))
}

// canonicalText returns a tree with numbered variables and sorted operands of commutative operators.
func canonicalText(n *Node, numbers []int) string {
	parts := make([]string, len(n.Args), len(n.Args)+len(n.Xs))
	for i, t := range n.Args {
		switch t.Kind {
		case TermVariable:
			parts[i] = strconv.Itoa(numbers[t.Var])
		case TermConstant:
			parts[i] = strconv.Quote(t.Name)
		case TermCenter:
			parts[i] = t.Name
		}
	}
	if n.binds() {
		slices.Sort(parts[n.Kind.Leading():])
	}
	for _, x := range n.Xs {
		parts = append(parts, canonicalText(x, numbers))
	}
	if n.Op.commutes() {
		slices.Sort(parts)
	}
	return n.Op.String() + n.label() + "(" + strings.Join(parts, ";") + ")"
}

// label returns what distinguishes nodes of one kind other than their operands.
func (n *Node) label() string {
	switch n.Op {
	case OpAtom:
		return n.plainName()
	case OpCompare:
		return n.Cmp.String()
	case OpCount:
		label := n.Cmp.String() + FormatNumber(n.K)
		if n.Kind == AggregateCount { // as the operator says
			return label
		}
		return n.Kind.String() + label
	case OpEqual, OpNot, OpAnd, OpOr, OpImplies, OpIff, OpExists, OpForAll:
	}
	return ""
}
