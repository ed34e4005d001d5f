package render

import (
	"slices"
	"strings"

	"resolwe/format/mln"
)

// count puts a counting literal or an aggregate into words.
func (n *narrator) count(c *mln.Count) {
	literals, part := c.Parts()
	w := n.windowOf(c, literals)
	switch {
	case c.Kind == mln.AggregateShare:
		n.say("among ", many(c.Listed), w.days)
	case c.Kind != mln.AggregateCount:
		n.aggregate(c, w)
	case c.Op == 0:
		n.say("the more ", many(c.Listed), " there are", w.days)
	case c.Op == mln.AtLeast && c.K == 1:
		n.say("there is ", one(c.Listed), w.days)
	case c.Op == mln.Less && c.K == 1:
		n.say("there is no ", these(c.Listed), w.days)
	default:
		n.say("there are "+map[mln.Comparison]string{
			mln.AtLeast: "at least", mln.Less: "fewer than", mln.Greater: "more than", mln.AtMost: "at most", mln.SameAs: "exactly",
			mln.OtherThan: "not exactly",
		}[c.Op]+" "+mln.FormatNumber(c.K)+" ", many(c.Listed), w.days)
	}
	if c.Kind.Leading() == 0 && w.latest != "" {
		n.say(", of the last " + w.latest + ",")
	}
	if len(w.rest) > 0 {
		n.say(" for which ", w.rest)
	}
	said := false
	for _, v := range c.Inner {
		if !n.comparedOnly(literals, v) {
			n.say(Either(said, " and ", ", for some "), Name(n.vars[v].Name))
			said = true
		}
	}
	if len(part) > 0 {
		n.say(", the share for which ", part)
		said = false
	}
	if c.Kind != mln.AggregateCount {
		n.say(Either(said, ",", "") + " is")
		if c.Op != 0 {
			n.say(" " + compared(c.Op, mln.FormatNumber(c.K)))
		}
	}
}

// aggregate says what an aggregate is computed over.
func (n *narrator) aggregate(c *mln.Count, w window) {
	lead, rows := c.Kind.Leading(), c.Listed[c.Kind.Leading():]
	if w.latest == "1" && w.value != "" {
		n.say("the ", Name(w.value), " of the latest ", these(rows), w.days)
		return
	}
	n.say(map[mln.Aggregate]string{
		mln.AggregateAvg: "the mean ", mln.AggregateSum: "the sum of ", mln.AggregateMin: "the least ", mln.AggregateMax: "the greatest ",
		mln.AggregateLast: "the last ", mln.AggregateTrend: "the trend of ",
	}[c.Kind])
	if w.value != "" {
		n.say(Name(w.value))
	} else {
		n.say(these(c.Listed[:1]), Either(lead > 1, " by ", ""), these(c.Listed[1:lead]))
	}
	if len(rows) > 0 {
		n.say(Either(w.latest == "", " over all ", " over the last "+w.latest+" "), many(rows), w.days)
	}
}

// window holds the parts that the words for a counting literal or an aggregate take out of its conjunction.
type window struct {
	value        string // the name of the number that is aggregated
	latest, days string // how many of the latest rows; from which days
	rest         []mln.Literal
}

// windowOf looks for the number of a row, and for comparisons with its days before the target and its rank by time, which `init`
// declares as T_days and T_latest_c.
func (n *narrator) windowOf(c *mln.Count, literals []mln.Literal) window {
	w := window{rest: literals}
	rows := c.Listed[c.Kind.Leading():]
	if len(rows) != 1 {
		return w
	}
	drop := func(v int) {
		w.rest = slices.DeleteFunc(slices.Clone(w.rest), func(l mln.Literal) bool { return mentions(l, v) })
	}
	if c.Kind.Leading() == 1 {
		if a, tests := numberOf(literals, rows[0], c.Listed[0]); a != nil && len(tests) == 0 {
			w.value = a.Name
			if kind := n.schema.Types[n.vars[c.Listed[0]].Type]; kind != mln.NumberType {
				w.value = kind
			}
			drop(c.Listed[0])
		}
	}
	for _, v := range c.Inner {
		a, tests := numberOf(literals, rows[0], v)
		if a == nil || len(tests) != 1 || tests[0].Op != mln.AtMost {
			continue
		}
		most := Clip(tests[0].Value.Name, MostName)
		switch {
		case n.schema.Types[n.vars[v].Type] == "days":
			w.days = " of the last " + most + " days"
		case strings.Contains(a.Name, "_latest_"):
			w.latest = most
		default:
			continue
		}
		drop(v)
	}
	return w
}

// numberOf returns the atom that gives a row's number v, and the comparisons of v; nil if other literals mention v.
func numberOf(literals []mln.Literal, row, v int) (a *mln.Atom, tests []*mln.Compare) {
	for _, l := range literals {
		switch {
		case !mentions(l, v):
		case l.Compare != nil && !l.Negated:
			tests = append(tests, l.Compare)
		case l.Atom == nil || l.Negated || a != nil || len(l.Atom.Args) != 2 || !isVariable(l.Atom.Args[0], row) || !isVariable(l.Atom.Args[1], v):
			return nil, nil
		default:
			a = l.Atom
		}
	}
	return a, tests
}

func isVariable(t mln.Term, v int) bool { return t.Kind == mln.TermVariable && t.Var == v }
