package render

import (
	"slices"
	"strings"

	"resolwe/format/mln"
)

// window tells which rows a variable stands for by their age and their rank by time, "" for all.
func (t *teller) window(w int, n Nouns) (text string) {
	for i, l := range t.literals {
		if t.used[i] || l.Atom == nil || l.Negated || len(l.Atom.Args) != 2 || !isVariable(l.Atom.Args[0], w) || l.Atom.Args[1].Kind != mln.TermVariable {
			continue
		}
		age, rank := t.schema.IsAge(l.Atom.Pred), t.schema.IsRank(l.Atom.Pred)
		cuts, told := t.compared(l.Atom.Args[1].Var, i)
		last := len(cuts) == 1 && cuts[0].Op == mln.AtMost
		k := ""
		if last {
			k = number{}.text(cuts[0].Value)
		}
		switch {
		case age && last:
			text += " in the last " + Either(k == "1", "day", k+" days")
		case age && (len(cuts) == 1 || len(cuts) == 2):
			when := ago(cuts[0])
			if len(cuts) == 2 {
				when = number{}.within(cuts, false) + " days ago"
			}
			text += " from " + when
		case rank && last:
			text += Either(k == "1", " at its latest "+n.One, " in its latest "+k+" "+n.Many)
		default:
			continue
		}
		t.used[i] = true
		for _, j := range told {
			t.used[j] = true
		}
	}
	return text
}

// compared returns the comparisons of a number with thresholds and their places, besides the literal that states it; none if others mention it.
func (t *teller) compared(v, stated int) (cuts []Cut, places []int) {
	for j, c := range t.literals {
		switch {
		case j == stated || !mentions(c, v):
		case c.Compare == nil || c.Negated:
			return nil, nil
		default:
			x, _ := mln.ParseNumber(c.Compare.Value.Name)
			cuts, places = append(cuts, Cut{c.Compare.Op, x}), append(places, j)
		}
	}
	return cuts, places
}

// count tells a counting literal or an aggregate about a variable, or that it is not so.
func (t *teller) count(c *mln.Count, not bool, v int) (out []clause) {
	body, part := c.Parts()
	if c.Kind == mln.AggregateCount {
		u := t.within(body)
		u.counted, u.amount = c.Listed, amount{mln.AtLeast, 1}
		if c.Op != 0 {
			u.amount = amount{c.Op, c.K}
		}
		if not {
			u.amount.op = u.amount.op.Opposite()
		}
		told := u.amount
		out = u.clauses(v)
		u.bad = u.bad || u.amount.op != 0 || len(out) != 1 && (not || told.op != mln.AtLeast)
		t.after(u)
		if t.cut = nil; told.k != 1 || told.op != mln.AtLeast && told.op != mln.Less {
			t.cut, t.number = &Cut{told.op, told.k}, number{}
		}
		return out
	}
	u := t.within(body)
	chain, n, verb := u.aggregate(c, part, v)
	t.after(u)
	if t.cut, t.number, t.name = nil, n.number, chain[max(0, len(chain)-1)]; c.Op == 0 {
		if n.ago {
			chain[len(chain)-1] = "days since its " + chain[len(chain)-1]
			t.name = chain[len(chain)-1]
		}
		return []clause{{chain: chain, verb: "is known", value: true}}
	}
	cut := Cut{c.Op, c.K}
	if not {
		cut.Op = cut.Op.Opposite()
	}
	t.cut = &cut
	text := n.cut(cut)
	switch {
	case n.share:
		text = n.cut(Cut{cut.Op, percent(cut.Value)})
		return []clause{{chain: chain, verb: verb + text, post: "where " + text + " of " + n.rows, value: true}}
	case n.ago:
		text = ago(cut) + Either(not, ", or never", "")
	}
	return []clause{{chain: chain, verb: verb + text, value: true}}
}

func percent(share float64) float64 {
	v, _ := mln.ParseNumber(Number(100*share).Text('g', 10))
	return v
}

// aggregated is the value of an aggregate.
type aggregated struct {
	number
	ago  bool
	rows string // of a share: "the orders in the last 90 days are paid"
}

// aggregate returns what an aggregate is of, and the verb before its value.
func (t *teller) aggregate(c *mln.Count, part []mln.Literal, v int) (chain []string, n aggregated, verb string) {
	if c.Kind == mln.AggregateShare {
		rows, name := t.rows(c.Listed[0], v)
		u := t.within(part)
		u.deep = true
		list := u.clauses(c.Listed[0])
		t.after(u)
		if t.bad = t.bad || len(c.Listed) > 1 || len(list) != 1; t.bad {
			return []string{""}, n, ""
		}
		n.number, n.rows = number{unit: "%", share: true}, "the "+name.nouns.Many+name.which+name.of+name.when+" "+list[0].ofMany()
		return append(rows, "share of "+name.all()+u.join(list, name.nouns.Who, true)), n, "was "
	}
	lead := c.Kind.Leading()
	x, pred := t.stating(c.Listed[0])
	if x < 0 {
		t.bad = true
		return []string{""}, n, ""
	}
	n.number = t.numberOf(pred)
	if lead == 2 {
		y, by := t.stating(c.Listed[1])
		t.bad = t.bad || y != x || !t.schema.IsAge(by)
	}
	rows, of := t.rows(x, v)
	chain = rows
	kind := map[mln.Aggregate]string{
		mln.AggregateAvg: "average ", mln.AggregateSum: "total ", mln.AggregateMin: "lowest ", mln.AggregateMax: "highest ",
	}[c.Kind]
	switch {
	case of.single:
		return append(chain, n.name), n, "is "
	case t.schema.IsAge(pred) && (c.Kind == mln.AggregateMin || c.Kind == mln.AggregateMax):
		n.ago, n.unit = true, "days"
		return append(chain, Either(c.Kind == mln.AggregateMin, "latest ", "first ")+of.one()), n, "was "
	case t.schema.IsAge(pred):
		n.unit = "days"
		return append(chain, kind+"age of "+of.all()), n, "was "
	case c.Kind == mln.AggregateLast:
		return append(chain, n.name+" at its first "+of.one()), n, "was "
	case c.Kind == mln.AggregateTrend:
		return append(chain, "first "+n.name+of.behind()+" less the average of those after"), n, "was "
	case strings.HasPrefix(of.when, " at its latest"):
		return append(chain, n.name+of.behind()), n, "was "
	}
	return append(chain, kind+n.name+of.behind()), n, "was "
}

// stating returns the variable of which a positive atom of two arguments states the number v, and the predicate; -1 if not just one does.
// That is told, unless v is compared, which makes it a window.
func (t *teller) stating(v int) (x, pred int) {
	x = -1
	for i, l := range t.literals {
		switch {
		case l.Compare != nil || !mentions(l, v):
		case x >= 0 || l.Atom == nil || l.Negated || len(l.Atom.Args) != 2 || l.Atom.Args[0].Kind != mln.TermVariable:
			return -1, 0
		default:
			x, pred = l.Atom.Args[0].Var, l.Atom.Pred
			t.used[i] = !slices.ContainsFunc(t.literals, func(c mln.Literal) bool { return c.Compare != nil && c.Compare.X.Var == v })
		}
	}
	return x, pred
}

// rows are things that an aggregate is over.
type rows struct {
	nouns       Nouns
	which, of   string // what is said of them, and of what is between them and the case
	when        string
	single      bool // there is one, which the chain names
	whichSingle string
}

func (r rows) all() string { return "its " + r.nouns.Many + r.which + r.of + r.when }
func (r rows) one() string { return r.nouns.One + r.whichSingle + r.of + r.when }

// behind returns the rows as they stand behind a number: "of its transactions", or only their window.
func (r rows) behind() string {
	if r.which+r.of == "" && r.when != "" {
		return r.when
	}
	return " of " + r.all()
}

// rows tells the things x, from v: what possesses them, and what they are.
func (t *teller) rows(x, v int) (chain []string, r rows) {
	path := t.path(v, x, nil)
	if path == nil && x != v {
		t.bad = true
		return nil, r
	}
	between, possess := []int{}, true
	for _, i := range path {
		a := t.literals[i].Atom
		t.used[i] = true
		next := a.Args[1].Var
		if t.known[next] != "" || next == v {
			next = a.Args[0].Var
		}
		if possess = possess && next == a.Args[1].Var && t.isOne(a.Pred); possess {
			chain = append(chain, t.reference(a.Pred))
		} else {
			between = append(between, next)
		}
		t.known[next] = "the " + t.noun(t.vars[next].Type).One
	}
	r.nouns = t.noun(t.vars[x].Type)
	t.deep = true
	for _, y := range slices.Backward(between) {
		n := t.noun(t.vars[y].Type)
		r.when += t.window(y, n)
		list := t.clauses(y)
		if y == x {
			left := t.left
			r.whichSingle = t.join(list, n.Who, false)
			t.left = left
			r.which = t.join(list, n.Who, true)
		} else {
			r.of += " of its " + n.Many + t.join(list, n.Who, true)
		}
	}
	if r.single = len(between) == 0; r.single {
		t.bad = t.bad || len(t.clauses(x)) > 0
	}
	return chain, r
}

// path returns the literals that lead from v to x by relations of two things, nil for none.
func (t *teller) path(v, x int, taken []int) []int {
	for i, l := range t.literals {
		if l.Atom == nil || l.Negated || len(l.Atom.Args) != 2 || t.used[i] || slices.Contains(taken, i) || !mln.DistinctVariables(l.Atom.Args) {
			continue
		}
		next := l.Atom.Args[1].Var
		if next == v {
			next = l.Atom.Args[0].Var
		} else if l.Atom.Args[0].Var != v {
			continue
		}
		if t.schema.IsNumber(t.vars[next].Type) || next != x && t.known[next] != "" {
			continue
		}
		if next == x {
			return append(taken, i)
		}
		if path := t.path(next, x, append(slices.Clip(taken), i)); path != nil {
			return path
		}
	}
	return nil
}
