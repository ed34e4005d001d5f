package mln

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Canonical returns a text that two formulas share exactly where they are equal up to renaming variables and reordering
// conjuncts, disjuncts and the two sides of = and !=. Weights do not count.
//
// Variables are coloured by their place in the formula until the colours are stable; where several share one, each of
// them in turn is set apart, and of the texts that the full colourings give the least is taken. Branches that an
// automorphism maps to one another are followed once (McKay, Practical Graph Isomorphism, 1981).
func Canonical(f *Formula) string {
	s := labelling{formula: f}
	colours := make([]int, len(f.Vars))
	for v := f.Free; v < len(colours); v++ {
		colours[v] = f.Free
	}
	s.search(colours)
	return s.best.text
}

// labelling is the search for the least text.
type labelling struct {
	formula       *Formula
	path          []int   // the variables set apart so far
	automorphisms [][]int // images of the variables
	first, best   leaf
}

// leaf is a full colouring: every variable has a colour of its own.
type leaf struct {
	text    string
	colours []int
	path    []int
}

// search follows the branches below a colouring. It returns how long a path the search goes on from: less than the
// present one where the rest of this branch is the image of one that was followed before.
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

// firstCell returns the variables of the least colour that several have, nil where there is none.
func firstCell(colours []int) []int {
	cells := make([][]int, len(colours))
	for v, c := range colours {
		cells[c] = append(cells[c], v)
	}
	for _, cell := range cells {
		if len(cell) > 1 {
			return cell
		}
	}
	return nil
}

// finish compares a full colouring with those before it.
func (s *labelling) finish(colours []int) int {
	here := leaf{formulaText(s.formula, colours), colours, slices.Clone(s.path)}
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

// addAutomorphism notes the map between variables of one colour in two full colourings.
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

// equivalent reports whether an automorphism that fixes the path maps v to a variable that was followed.
func (s *labelling) equivalent(v int, followed []int) bool {
	if len(followed) == 0 {
		return false
	}
	orbit := s.orbits()
	for _, u := range followed {
		if orbit[u] == orbit[v] {
			return true
		}
	}
	return slices.ContainsFunc(followed, func(u int) bool { return s.interchangeable(u, v) })
}

// orbits returns a representative for each variable, the same for those that automorphisms fixing the path map to one another.
func (s *labelling) orbits() []int {
	parent := make([]int, len(s.formula.Vars))
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

// interchangeable reports whether exchanging two variables leaves the formula as it is.
func (s *labelling) interchangeable(u, v int) bool {
	colours := make([]int, len(s.formula.Vars))
	for i := range colours {
		colours[i] = i
	}
	before := formulaText(s.formula, colours)
	colours[u], colours[v] = v, u
	if formulaText(s.formula, colours) != before {
		return false
	}
	s.automorphisms = append(s.automorphisms, colours)
	return true
}

// refine splits colours by the places of their variables until that splits none. A colour is the number of variables
// of lesser colours.
func (s *labelling) refine(colours []int) []int {
	colours = slices.Clone(colours)
	order := make([]int, len(colours))
	places := make([]uint64, len(colours))
	for v := range order {
		order[v] = v
	}
	for count := 0; ; {
		for v := range places {
			places[v] = place(s.formula.Body, colours, v)
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

// place returns a number for the place that variable marked has in a tree; variables of one colour look alike in it.
// Equal places give equal numbers; that unequal ones may too costs time only.
func place(x Expr, colours []int, marked int) uint64 {
	switch x := x.(type) {
	case *Atom:
		h := mixText(1, x.Name)
		for _, t := range x.Args {
			h = mix(h, termPlace(t, colours, marked))
		}
		return h
	case *Equal:
		return mix(2, scramble(termPlace(x.A, colours, marked))+scramble(termPlace(x.B, colours, marked)))
	case *Not:
		return mix(3, place(x.X, colours, marked))
	case *And:
		return mix(4, sumPlaces(x.Xs, colours, marked))
	case *Or:
		return mix(5, sumPlaces(x.Xs, colours, marked))
	case *Implies:
		return mix(mix(6, place(x.L, colours, marked)), place(x.R, colours, marked))
	case *Iff:
		return mix(mix(7, place(x.L, colours, marked)), place(x.R, colours, marked))
	case *Exists:
		return mix(mix(8, sumVars(x.Vars, colours, marked)), place(x.X, colours, marked))
	case *ForAll:
		return mix(mix(9, sumVars(x.Vars, colours, marked)), place(x.X, colours, marked))
	}
	panic("mln: not an expression of this package")
}

func sumPlaces(xs []Expr, colours []int, marked int) uint64 {
	var sum uint64
	for _, x := range xs {
		sum += scramble(place(x, colours, marked))
	}
	return sum
}

func sumVars(vars, colours []int, marked int) uint64 {
	var sum uint64
	for _, v := range vars {
		sum += scramble(varPlace(v, colours, marked))
	}
	return sum
}

func termPlace(t Term, colours []int, marked int) uint64 {
	switch t.Kind {
	case TermVariable:
		return varPlace(t.Var, colours, marked)
	case TermConstant:
		return mixText(10, t.Name)
	case TermCenter:
	}
	return 11
}

func varPlace(v int, colours []int, marked int) uint64 {
	if v == marked {
		return 12
	}
	return mix(13, uint64(colours[v]))
}

// scramble is the finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
func scramble(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

func mix(h, with uint64) uint64 { return scramble(h*0x9e3779b97f4a7c15 + with) }

func mixText(h uint64, text string) uint64 {
	for i := range len(text) {
		h = h*1099511628211 ^ uint64(text[i])
	}
	return mix(h, uint64(len(text)))
}

// formulaText returns a formula with numbers for its variables and its conjuncts, disjuncts and sides of = in order.
func formulaText(f *Formula, numbers []int) string { return exprText(f.Body, numbers) }

func exprText(x Expr, numbers []int) string {
	switch x := x.(type) {
	case *Atom:
		parts := make([]string, len(x.Args))
		for i, t := range x.Args {
			parts[i] = termText(t, numbers)
		}
		return x.Name + "(" + strings.Join(parts, ",") + ")"
	case *Equal:
		return sortedText("=", termText(x.A, numbers), termText(x.B, numbers))
	case *Not:
		return "!" + exprText(x.X, numbers)
	case *And:
		return sortedText("^", exprTexts(x.Xs, numbers)...)
	case *Or:
		return sortedText("v", exprTexts(x.Xs, numbers)...)
	case *Implies:
		return "=>(" + exprText(x.L, numbers) + ";" + exprText(x.R, numbers) + ")"
	case *Iff:
		return "<=>(" + exprText(x.L, numbers) + ";" + exprText(x.R, numbers) + ")"
	case *Exists:
		return sortedText("EXIST", varTexts(x.Vars, numbers)...) + exprText(x.X, numbers)
	case *ForAll:
		return sortedText("FORALL", varTexts(x.Vars, numbers)...) + exprText(x.X, numbers)
	}
	panic("mln: not an expression of this package")
}

func exprTexts(xs []Expr, numbers []int) []string {
	out := make([]string, len(xs))
	for i, x := range xs {
		out[i] = exprText(x, numbers)
	}
	return out
}

func varTexts(vars, numbers []int) []string {
	out := make([]string, len(vars))
	for i, v := range vars {
		out[i] = strconv.Itoa(numbers[v])
	}
	return out
}

func sortedText(op string, parts ...string) string {
	slices.Sort(parts)
	return op + "(" + strings.Join(parts, ";") + ")"
}

func termText(t Term, numbers []int) string {
	switch t.Kind {
	case TermVariable:
		return strconv.Itoa(numbers[t.Var])
	case TermConstant:
		return quote(t.Name)
	case TermCenter:
	}
	return t.Name
}
