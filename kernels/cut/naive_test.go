package cut_test

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"resolwe/format/recipe"
	"resolwe/format/table"
)

// cell is an entity by name or a value, or neither where the table has none.
type cell struct {
	name  string
	num   float64
	empty bool
}

func (c cell) compare(d cell) int {
	return cmp.Or(strings.Compare(c.name, d.name), cmp.Compare(c.num, d.num))
}

// naive evaluates a recipe for one center by nested loops over all tuples.
type naive struct {
	recipe *recipe.Recipe
	center cell
	tuples []map[string][]cell // by relation
}

func newNaive(r *recipe.Recipe, u *table.Universe, tables []*table.Table, center string) *naive {
	n := &naive{recipe: r, center: cell{name: center}, tuples: make([]map[string][]cell, len(r.Relations))}
	for i, rel := range r.Relations {
		n.tuples[i] = map[string][]cell{}
		if rel.Role != recipe.RoleTable {
			continue
		}
		t := tables[rel.Index]
		for row := range t.Rows {
			tuple := make([]cell, len(t.Columns))
			for c, col := range t.Columns {
				if col.IsEmpty(row) {
					tuple[c].empty = true
					continue
				}
				switch col.Kind {
				case table.KindEntity:
					tuple[c].name = u.Dicts[col.Type].Name(col.IDs[row])
				case table.KindFloat:
					tuple[c].num = col.Floats[row] + 0 // -0 is 0
				case table.KindInt, table.KindDay, table.KindTime:
					tuple[c].num = float64(col.Nums[row])
				}
			}
			n.add(i, tuple)
		}
	}
	return n
}

func (n *naive) add(relation int, tuple []cell) { n.tuples[relation][fmt.Sprint(tuple)] = tuple }

// sorted returns the tuples of a relation by their names and values.
func (n *naive) sorted(relation int) [][]cell {
	var out [][]cell
	for _, t := range n.tuples[relation] {
		out = append(out, t)
	}
	slices.SortFunc(out, func(a, b []cell) int { return slices.CompareFunc(a, b, cell.compare) })
	return out
}

// run evaluates all relations. It reports whether the center meets the requirements.
func (n *naive) run() bool {
	for _, i := range n.recipe.Order {
		r := &n.recipe.Relations[i]
		for _, rule := range r.Rules {
			n.rule(i, &n.recipe.Rules[rule])
		}
		if s := r.Sample; s != nil {
			n.sample(i, s)
		}
	}
	for _, q := range n.recipe.Requires {
		left, right := float64(len(n.tuples[q.Left])), q.Number
		if q.Right >= 0 {
			right = float64(len(n.tuples[q.Right]))
		}
		if !q.Op.HoldsFor(cmp.Compare(left, right)) {
			return false
		}
	}
	return true
}

func (n *naive) sample(i int, s *recipe.Sample) {
	all := n.sorted(i)
	k := min(s.N*len(n.tuples[s.Per]), len(all))
	if s.Stratified {
		k = len(all)
	} else if k == len(all) {
		return
	}
	stratum := func(t []cell) string { return fmt.Sprint(t[len(t)-1]) }
	left := map[string]int{}
	for _, t := range n.tuples[s.Per] {
		if s.Stratified {
			left[stratum(t)] += s.N
		}
	}
	h := fnv.New64a()
	h.Write([]byte(n.center.name))
	random := rand.NewPCG(s.Seed, h.Sum64())
	n.tuples[i] = map[string][]cell{}
	for pos := range k {
		j := pos + drawn(random, len(all)-pos)
		all[pos], all[j] = all[j], all[pos]
		if v := stratum(all[pos]); !s.Stratified || left[v] > 0 {
			left[v]--
			n.add(i, all[pos])
		}
	}
}

// drawn returns the upper half of the product of a random number and n, but draws again where some results would be
// likelier than others.
func drawn(random *rand.PCG, n int) int {
	limit := new(big.Int).Lsh(big.NewInt(1), 64)
	limit.Mod(limit, big.NewInt(int64(n)))
	for {
		product := new(big.Int).SetUint64(random.Uint64())
		product.Mul(product, big.NewInt(int64(n)))
		low := new(big.Int).And(product, new(big.Int).SetUint64(math.MaxUint64))
		if low.Cmp(limit) >= 0 {
			return int(product.Rsh(product, 64).Int64())
		}
	}
}

// rule adds the tuples of a rule.
func (n *naive) rule(head int, r *recipe.Rule) {
	seen := map[string][]cell{}
	n.bind(r, 0, make([]*cell, len(r.Vars)), func(b []*cell) {
		binding := make([]cell, len(b))
		for i, c := range b {
			binding[i] = *c
		}
		seen[fmt.Sprint(binding)] = binding
	})
	groups := map[string][][]cell{}
	for _, binding := range seen {
		key, finite := n.key(r, binding, -1)
		if finite {
			groups[key] = append(groups[key], binding)
		}
	}
	for _, bindings := range groups {
		tuple := make([]cell, len(r.Terms))
		for i, h := range r.Terms {
			if tuple[i] = n.term(h, bindings); h.Aggregate == recipe.AggregateRank {
				tuple[i] = n.rank(r, h, bindings, groups)
			}
		}
		n.add(head, tuple)
	}
}

// key returns the terms of a head that are no aggregates, without a variable, and whether they are finite.
func (n *naive) key(r *recipe.Rule, binding []cell, without int) (string, bool) {
	var key []cell
	finite := true
	for _, h := range r.Terms {
		plain := h.Second.Kind == 0 && h.Term.Kind == recipe.TermVariable
		if h.Aggregate == recipe.AggregateNone && (!plain || h.Term.Var != without) {
			c := n.term(h, [][]cell{binding})
			finite = finite && !math.IsInf(c.num, 0) && !math.IsNaN(c.num)
			key = append(key, c)
		}
	}
	return fmt.Sprint(key), finite
}

// rank is one more than how many values there are above that of a group, among those of the groups that it is ranked with.
func (n *naive) rank(r *recipe.Rule, h recipe.HeadTerm, own [][]cell, groups map[string][][]cell) cell {
	value := func(bindings [][]cell) float64 {
		most := math.Inf(-1)
		for _, b := range bindings {
			most = max(most, n.value(h.Term, b).num)
		}
		return most
	}
	key, _ := n.key(r, own[0], h.Second.Var)
	above := map[float64]bool{}
	for _, other := range groups {
		if k, _ := n.key(r, other[0], h.Second.Var); k == key && value(other) > value(own) {
			above[value(other)] = true
		}
	}
	return cell{num: float64(1 + len(above))}
}

func (n *naive) value(t recipe.Term, binding []cell) cell {
	switch t.Kind {
	case recipe.TermVariable:
		return binding[t.Var]
	case recipe.TermCenter:
		return n.center
	case recipe.TermEntity:
		return cell{name: t.Name}
	case recipe.TermValue:
	}
	if t.Type.Kind == table.KindFloat {
		return cell{num: t.Float}
	}
	return cell{num: float64(t.Int)}
}

func (n *naive) term(h recipe.HeadTerm, bindings [][]cell) cell {
	if h.IsDays() {
		days := n.value(h.Term, bindings[0]).num - n.value(h.Second, bindings[0]).num
		if h.Term.Type.Kind == table.KindTime {
			days = math.Floor(days / 86400)
		}
		return cell{num: days}
	}
	if h.Quotient {
		return cell{num: n.value(h.Term, bindings[0]).num/n.value(h.Second, bindings[0]).num + 0}
	}
	if h.Aggregate == recipe.AggregateNone {
		return n.value(h.Term, bindings[0])
	}
	distinct := map[cell]bool{}
	var all []cell
	for _, b := range bindings {
		c := n.value(h.Term, b)
		distinct[c] = true
		all = append(all, c)
	}
	exact := new(big.Rat)
	for _, c := range all {
		exact.Add(exact, new(big.Rat).SetFloat64(c.num))
	}
	switch h.Aggregate {
	case recipe.AggregateCount:
		return cell{num: float64(len(distinct))}
	case recipe.AggregateMin:
		return slices.MinFunc(all, cell.compare)
	case recipe.AggregateMax:
		return slices.MaxFunc(all, cell.compare)
	case recipe.AggregateAvg:
		mean, _ := exact.Quo(exact, big.NewRat(int64(len(all)), 1)).Float64()
		return cell{num: mean}
	case recipe.AggregateSum, recipe.AggregateRank, recipe.AggregateNone:
	}
	total, _ := exact.Float64()
	return cell{num: total}
}

// bind calls visit for each binding that makes the body true.
func (n *naive) bind(r *recipe.Rule, k int, b []*cell, visit func([]*cell)) {
	if k == len(r.Positive) {
		if n.checks(r, b) {
			visit(b)
		}
		return
	}
	a := &r.Positive[k]
	for _, tuple := range n.tuples[a.Relation] {
		next := slices.Clone(b)
		if n.match(r, a, tuple, next) {
			n.bind(r, k+1, next, visit)
		}
	}
}

// match extends a binding so that an atom is a tuple. Only _ is no entry at all.
func (n *naive) match(r *recipe.Rule, a *recipe.Atom, tuple []cell, b []*cell) bool {
	for i, t := range a.Args {
		blank := t.Kind == recipe.TermVariable && r.Vars[t.Var].Name == "_"
		if tuple[i].empty && !blank {
			return false
		}
		if t.Kind == recipe.TermVariable && b[t.Var] == nil {
			b[t.Var] = &tuple[i]
		} else if n.bound(t, b) != tuple[i] {
			return false
		}
	}
	return true
}

func (n *naive) bound(t recipe.Term, b []*cell) cell {
	if t.Kind == recipe.TermVariable {
		return *b[t.Var]
	}
	return n.value(t, nil)
}

func (n *naive) divided(t, over recipe.Term, b []*cell) cell {
	c := n.bound(t, b)
	if over.Kind != 0 {
		c.num = c.num/n.bound(over, b).num + 0
	}
	return c
}

func (n *naive) checks(r *recipe.Rule, b []*cell) bool {
	for _, c := range r.Comparisons {
		left, right := n.divided(c.A, c.Over[0], b), n.divided(c.B, c.Over[1], b)
		if c.IsQuotient() && (math.IsNaN(left.num+right.num) || math.IsInf(left.num+right.num, 0)) {
			return false
		}
		right.num += float64(c.Shift.Int) + c.Shift.Float
		if !c.Op.HoldsFor(left.compare(right)) {
			return false
		}
	}
	for _, a := range r.Negative {
		var tuple []cell
		for _, t := range a.Args {
			tuple = append(tuple, n.bound(t, b))
		}
		if _, ok := n.tuples[a.Relation][fmt.Sprint(tuple)]; ok {
			return false
		}
	}
	return true
}

// facts returns the facts and entities of the subgraph as sorted lines, and whether an atom is both true and false.
func (n *naive) facts() (lines []string, conflict bool) {
	schema := n.recipe.Schema
	domains := make([]map[string]bool, len(schema.Types))
	for i := range domains {
		domains[i] = map[string]bool{}
	}
	stated := map[string]bool{}
	for i, r := range n.recipe.Relations {
		marks := map[recipe.Role]string{recipe.RoleTrue: "", recipe.RoleFalse: "!", recipe.RoleUnknown: "?", recipe.RoleEntity: "@"}
		if _, states := marks[r.Role]; !states {
			continue
		}
		for _, tuple := range n.tuples[i] {
			var names []string
			for c, v := range tuple {
				typ := r.Index
				if r.Role != recipe.RoleEntity {
					typ = schema.Predicates[r.Index].Args[c]
				}
				if schema.IsNumber(typ) {
					v.name = strconv.FormatFloat(v.num, 'f', -1, 64)
				}
				domains[typ][v.name] = true
				names = append(names, v.name)
			}
			if r.Role == recipe.RoleEntity {
				continue
			}
			atom := r.Name + "(" + strings.Join(names, ",") + ")"
			conflict = conflict || stated[atom]
			stated[atom] = true
			lines = append(lines, marks[r.Role]+atom)
		}
	}
	for t, d := range domains {
		for name := range d {
			lines = append(lines, "@"+schema.Types[t]+" "+name)
		}
	}
	slices.Sort(lines)
	return lines, conflict
}
