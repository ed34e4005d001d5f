package render

import (
	"slices"
	"strconv"
	"strings"

	"resolwe/format/mln"
)

// number says what a number of a variable is, with the comparisons of it.
func (t *teller) number(a *mln.Atom, value mln.Term, negated bool) condition {
	c := condition{form: formNumber, text: t.column(a)}
	if value.Kind != mln.TermVariable {
		c.is = Either(negated, "is not ", "is ") + t.amount(value.Name, t.words[wordKey{name: a.Name}].Unit)
		return c
	}
	t.failed = t.failed || negated // all numbers but its own are not no number
	t.met = append(t.met, value.Var)
	var tests []*mln.Compare
	for i, l := range t.literals {
		if l.Compare != nil && mentions(l, value.Var) {
			t.used[i] = true
			if t.failed = t.failed || l.Negated; !t.failed {
				tests = append(tests, l.Compare)
			}
		}
	}
	unit := t.words[wordKey{name: a.Name}].Unit
	switch len(tests) {
	case 0:
		c.is = "is known"
	case 1:
		k, _ := mln.ParseNumber(tests[0].Value.Name)
		c.is = "is " + t.compared(tests[0].Op, k, unit)
	case 2:
		low, high := tests[0], tests[1]
		if low.Op == mln.AtMost || low.Op == mln.Less {
			low, high = high, low
		}
		c.is = "is between " + t.amount(low.Value.Name, "") + " and " + t.amount(high.Value.Name, unit)
		if low.Op != mln.AtLeast || high.Op != mln.AtMost {
			t.failed = true
		}
	default:
		t.failed = true
	}
	return c
}

// opposites are the comparisons that hold where another does not.
var opposites = map[mln.Comparison]mln.Comparison{
	mln.AtLeast: mln.Less, mln.Less: mln.AtLeast, mln.Greater: mln.AtMost, mln.AtMost: mln.Greater, mln.SameAs: mln.OtherThan, mln.OtherThan: mln.SameAs,
}

// compared puts a comparison into words, and records it.
func (t *teller) compared(op mln.Comparison, k float64, unit string) string {
	t.compares = true
	amount := t.amount(mln.FormatNumber(k), unit)
	switch op {
	case mln.AtLeast:
		return amount + " or more"
	case mln.Less:
		return "under " + amount
	case mln.Greater:
		return "more than " + amount
	case mln.AtMost:
		return amount + " or less"
	case mln.OtherThan:
		return "not " + amount
	case mln.SameAs:
	}
	return amount
}

// amount prints a number with separators from 10,000 on, and its unit.
func (t *teller) amount(number, unit string) string {
	if v, ok := mln.ParseNumber(number); ok && unit != "year" {
		whole, fraction, _ := strings.Cut(mln.FormatNumber(v), ".")
		if n, err := strconv.ParseInt(whole, 10, 64); err == nil && (n >= 10000 || n <= -10000) {
			whole = Grouped(n)
		}
		number = strings.Replace(whole, "-", "\u2212", 1) + Either(fraction != "", "."+fraction, "")
	}
	switch unit {
	case "", "year", "date":
		return number
	case "%":
		return number + "%"
	}
	return number + " " + unit
}

// window takes the comparisons of a row's age and rank out of the literals, which init declares as T_days and T_latest_C, and words them.
func (t *teller) window(row int) string {
	var text strings.Builder
	for i, l := range t.literals {
		if t.used[i] || l.Atom == nil || l.Negated || len(l.Atom.Args) != 2 || !isVariable(l.Atom.Args[0], row) || l.Atom.Args[1].Kind != mln.TermVariable {
			continue
		}
		test := slices.IndexFunc(t.literals, func(o mln.Literal) bool { return o.Compare != nil && !o.Negated && mentions(o, l.Atom.Args[1].Var) })
		if test < 0 || t.literals[test].Compare.Op != mln.AtMost {
			continue
		}
		most := t.amount(t.literals[test].Compare.Value.Name, "")
		flags := t.words[wordKey{name: l.Atom.Name}].Flags
		switch {
		case slices.Contains(flags, "age") || t.schema.Types[l.Atom.Args[1].Type] == "days":
			text.WriteString(" in the last " + most + " days")
		case slices.Contains(flags, "rank") || strings.Contains(l.Atom.Name, "_latest_"):
			text.WriteString(Either(most == "1", " on the latest day", " in the latest "+most))
		default:
			continue
		}
		t.used[i], t.used[test] = true, true
	}
	return text.String()
}

// counting says what a counting literal or an aggregate says of a variable.
func (t *teller) counting(l mln.Literal, v int) condition {
	c := l.Count
	literals, part := c.Parts()
	in := &teller{Speaker: t.Speaker, f: t.f, literals: literals, used: make([]bool, len(literals)), met: slices.Clone(t.met), roots: t.roots, quantity: map[int]string{}}
	op := c.Op
	if l.Negated {
		op = opposites[op]
	}
	defer func() {
		t.failed, t.compares = t.failed || in.failed || slices.Contains(in.used, false), t.compares || in.compares
	}()
	if c.Kind != mln.AggregateCount {
		out := in.aggregate(c, part, v, op)
		if l.Negated { // false, too, where there is nothing
			out.is += Either(strings.HasSuffix(out.is, " ago"), ", or never", ", or there is none")
		}
		return out
	}
	var counted []int
	for _, x := range c.Listed {
		if !in.isReference(x) {
			counted = append(counted, x)
		}
	}
	if len(counted) != 1 {
		in.failed = true
		return condition{}
	}
	k := in.amount(mln.FormatNumber(c.K), "")
	text, ok := map[mln.Comparison]string{
		mln.AtLeast: k + " or more", mln.Less: "fewer than " + k, mln.Greater: "more than " + k, mln.AtMost: "at most " + k, mln.SameAs: "exactly " + k,
	}[op]
	switch {
	case op == mln.Less && c.K == 1, op == mln.AtMost && c.K == 0:
		text = "no"
	case op == mln.AtLeast && c.K == 1:
		text = "at least one"
	case op == 0:
		text, ok = "more", true
	}
	in.failed = !ok
	in.quantity[counted[0]] = text
	if text == "at least one" {
		delete(in.quantity, counted[0])
	}
	list := in.about(v, "")
	in.compares = op != 0
	if len(list) != 1 {
		in.failed = true
		return condition{}
	}
	return list[0]
}

// isOne reports whether an atom gives each first argument exactly one second: as its words say or, without words, its name, which init makes of a
// table and its column.
func (t *teller) isOne(a *mln.Atom) bool {
	w, stated := t.words[wordKey{name: a.Name}]
	if stated && (w.Text != "" || w.Flags != nil) {
		return slices.Contains(w.Flags, "one")
	}
	first := t.schema.Types[t.schema.Predicates[a.Pred].Args[0]]
	return strings.HasPrefix(a.Name, first+"_") || strings.HasPrefix(a.Name, plural(first)+"_") || strings.Contains(a.Name, "_last_")
}

// isReference reports whether a variable is what another one refers to.
func (t *teller) isReference(v int) bool {
	return slices.ContainsFunc(t.literals, func(l mln.Literal) bool {
		return l.Atom != nil && !l.Negated && len(l.Atom.Args) == 2 && isVariable(l.Atom.Args[1], v) && t.isOne(l.Atom) &&
			l.Atom.Args[0].Kind == mln.TermVariable && slices.Contains(t.met, l.Atom.Args[0].Var)
	})
}

// aggregates are the words for aggregates of a number.
var aggregates = map[mln.Aggregate]string{
	mln.AggregateAvg: "average ", mln.AggregateSum: "total ", mln.AggregateMin: "lowest ", mln.AggregateMax: "highest ", mln.AggregateLast: "last ", mln.AggregateTrend: "trend of ",
}

// aggregate says what an aggregate over rows is.
func (t *teller) aggregate(c *mln.Count, part []mln.Literal, v int, op mln.Comparison) condition {
	rows := c.Listed[c.Kind.Leading():]
	rows = slices.DeleteFunc(slices.Clone(rows), t.isReference)
	if len(rows) != 1 || c.Kind == mln.AggregateLast || c.Kind == mln.AggregateTrend && c.Kind.Leading() > 2 {
		t.failed = true // which row is the last depends on a number's direction
		return condition{}
	}
	t.value = &aggregated{c, rows[0]}
	if c.Kind == mln.AggregateShare {
		t.literals = append(slices.Clone(t.literals), part...)
		t.used = append(t.used, make([]bool, len(part))...)
	}
	list := t.about(v, "")
	if len(list) != 1 {
		t.failed = true
		return condition{}
	}
	out := list[0]
	k := mln.FormatNumber(c.K)
	switch {
	case op == 0:
	case c.Kind == mln.AggregateMin && strings.HasPrefix(out.text, "latest "):
		out.is, t.compares = "was "+recency(op, t.amount(k, "days")), true
	case c.Kind == mln.AggregateShare:
		out.is = "is " + t.compared(op, 100*c.K, "%")
	default:
		out.is = "was " + t.compared(op, c.K, t.unit)
	}
	return out
}

// recency says how long ago something was.
func recency(op mln.Comparison, days string) string {
	return map[mln.Comparison]string{
		mln.AtMost: "at most ", mln.Less: "less than ", mln.AtLeast: "at least ", mln.Greater: "more than ", mln.OtherThan: "not ",
	}[op] + days + " ago"
}

// ofRows names the aggregate over the rows that a relation leads to, seen from one of its places.
func (t *teller) ofRows(row mln.Term, by *mln.Atom, place int) condition {
	c, noun := t.value.count, t.noun(row.Type)
	out := condition{form: formNumber}
	window := t.window(t.value.row)
	if c.Kind == mln.AggregateShare {
		out.text = t.share(noun, window)
		return out
	}
	at := t.stating(c.Listed[0])
	if at < 0 || slices.ContainsFunc(t.literals, func(l mln.Literal) bool { return l.Compare != nil && mentions(l, c.Listed[0]) }) {
		t.failed = true
		return out
	}
	t.used[at] = true
	a := t.literals[at].Atom
	if c.Kind == mln.AggregateTrend {
		if by := t.stating(c.Listed[1]); by >= 0 { // the time of the rows
			t.used[by] = true
		}
	}
	t.unit = t.words[wordKey{name: a.Name}].Unit
	own := modifiers(t.about(t.value.row, ""), false, true, noun.Who)
	days := t.schema.Types[a.Args[1].Type] == "days" || slices.Contains(t.words[wordKey{name: a.Name}].Flags, "age")
	of := Either(own != "", " of its "+noun.Many+own, "")
	if place == 0 || !t.isOne(by) && t.words[wordKey{name: by.Name}].Text == "" {
		of = " of the " + noun.Many + " related by “" + spaced(by.Name) + "”" + own
	}
	switch {
	case days && c.Kind == mln.AggregateMin:
		out.text = "latest " + noun.One + own
	case days && c.Kind == mln.AggregateMax:
		out.text, t.unit = "days since the first "+noun.One+own, ""
	default:
		out.text = aggregates[c.Kind] + t.column(a) + of + window
	}
	return out
}

// stating returns the place of the literal that states a number of the rows, -1 for none.
func (t *teller) stating(number int) int {
	return slices.IndexFunc(t.literals, func(l mln.Literal) bool {
		return l.Atom != nil && !l.Negated && len(l.Atom.Args) == 2 && isVariable(l.Atom.Args[0], t.value.row) && isVariable(l.Atom.Args[1], number)
	})
}

// share names the share of rows for which the last literals hold, among those for which the others do.
func (t *teller) share(noun Nouns, window string) string {
	_, part := t.value.count.Parts()
	of := t.used[len(t.used)-len(part):]
	for i := range of {
		of[i] = true
	}
	among := modifiers(t.about(t.value.row, ""), false, true, noun.Who)
	clear(of)
	return "share of " + noun.Many + among + window + modifiers(t.about(t.value.row, ""), false, true, noun.Who)
}
