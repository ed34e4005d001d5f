package naive

import (
	"fmt"
	"strings"
)

// subgraph writes a subgraph's facts.
func (t *task) subgraph(name string) {
	plain := t.preds[t.evidence]
	sizes := [2]int{2 + t.IntN(t.opt.Entities-1), 2 + t.IntN(t.opt.Entities-1)}
	for t.atoms(plain, sizes) > t.opt.MaxAtoms {
		sizes = [2]int{max(sizes[0]-1, 1), max(sizes[1]-1, 1)}
	}
	lines := t.entities(sizes)
	unknown := 0.15
	if t.opt.Known {
		unknown = 0
	}
	budget := t.opt.MaxAtoms - t.atoms(plain, sizes)
	for i, p := range t.preds {
		switch {
		case i < t.evidence:
			lines = append(lines, t.facts(p, sizes, 0.1+float64(0.5*t.Float64()), 0.02, 0)...)
		case !p.listed:
			lines = append(lines, t.facts(p, sizes, 0.35, 0.15, unknown)...)
		default:
			listed := t.facts(p, sizes, 0.35, 0.35, unknown)
			listed = listed[:min(len(listed), budget)]
			budget -= len(listed)
			lines = append(lines, listed...)
		}
	}
	if t.opt.Counts {
		lines = append(lines, t.ages(sizes[0])...)
	}
	if t.chance(0.1) && len(lines) > 0 {
		lines = append(lines, lines[0]) // stated twice
	}
	t.shuffle(lines)
	// The center may be outside the domain.
	fmt.Fprintf(&t.db, "@subgraph %s center=%s\n", name, entity(0, t.IntN(t.opt.Entities+1)))
	for _, l := range lines {
		fmt.Fprintln(&t.db, l)
	}
}

// atoms is the number of type-consistent atoms over domains of these sizes and the type lines' constants.
func (t *task) atoms(p predicate, sizes [2]int) int {
	n := 1
	for _, typ := range p.args {
		size := sizes[typ]
		for _, c := range t.constants[typ] {
			if c >= sizes[typ] {
				size++
			}
		}
		n *= size
	}
	return n
}

// entities declares the entities, where it does not leave them to the facts.
func (t *task) entities(sizes [2]int) []string {
	var lines []string
	for typ, size := range sizes {
		if t.chance(0.3) {
			continue
		}
		names := make([]string, size)
		for i := range names {
			names[i] = entity(typ, i)
		}
		t.shuffle(names)
		lines = append(lines, fmt.Sprintf("@entity %s %s", typeNames[typ], strings.Join(names, " ")))
	}
	return lines
}

// facts states atoms of a predicate with the given probabilities, in random order.
func (t *task) facts(p predicate, sizes [2]int, yes, no, unknown float64) []string {
	tuples := []string{""}
	for i, typ := range p.args {
		var longer []string
		for _, head := range tuples {
			for e := range sizes[typ] {
				longer = append(longer, head+[]string{"", ", "}[min(i, 1)]+entity(typ, e))
			}
		}
		tuples = longer
	}
	lines := make([]string, 0, len(tuples))
	for _, args := range tuples {
		draw := t.Float64()
		sign := ""
		switch {
		case draw < yes:
		case draw < yes+no:
			sign = "!"
		case draw < yes+no+unknown:
			sign = "?"
		default:
			continue
		}
		lines = append(lines, fmt.Sprintf("%s%s(%s)", sign, p.name, args))
	}
	t.shuffle(lines)
	return lines
}
