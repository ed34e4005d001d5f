package render

import (
	"cmp"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/internal/english"
)

// group tells which cases a formula is about, and reports whether it could.
func (t *teller) group(f *mln.Formula, rest []mln.Literal, head mln.Literal, inverse bool) (told Told, ok bool) {
	args := head.Atom.Args
	if !mln.DistinctVariables(args) {
		return told, false
	}
	type sentence struct {
		head int
		clause
	}
	tell := func(flip bool) (out []sentence, u *teller) {
		u = t.within(rest)
		u.flip, u.known = flip, map[int]string{}
		for i, a := range args {
			name := t.noun(a.Type).One
			u.known[a.Var] = "the " + name
			for j, b := range args {
				if i != j && a.Type == b.Type {
					u.known[a.Var] = "the " + Either(i < j, "first ", "second ") + name
				}
			}
		}
		u.deep = len(args) > 1
		order := make([]int, len(args))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int { // as literals mention them
			first := func(k int) int {
				return slices.IndexFunc(rest, func(l mln.Literal) bool { return mentions(l, args[k].Var) })
			}
			return cmp.Compare(uint(first(i)), uint(first(j))) // those that none mentions last
		})
		for _, i := range order {
			for _, c := range u.clauses(args[i].Var) {
				out = append(out, sentence{i, c})
			}
		}
		for i := range rest {
			u.bad = u.bad || !u.used[i]
		}
		u.bad = u.bad || len(out) == 0
		return out, u
	}
	list, u := tell(false)
	if u.bad {
		return told, false
	}
	lead := t.nouns.Many
	if len(args) > 1 {
		lead = "pairs"
	}
	told.Inverse = inverse
	negative := inverse && len(list) > 1
	if inverse && !negative {
		if list, u = tell(true); u.flip || u.bad {
			list, u = tell(false)
			negative = true
		}
	}
	var clauses []clause
	for _, s := range list {
		c := s.clause
		if len(args) > 1 {
			subject := u.known[args[s.head].Var]
			if len(c.chain) > 0 {
				subject += "'s " + possessed(c.chain)
			}
			c = clause{post: "where " + subject + " " + c.verb}
		}
		clauses = append(clauses, c)
	}
	text := strings.TrimSpace(u.join(clauses, t.nouns.Who, true))
	if u.left > 0 {
		text += " and " + Count(u.left, "more condition", "more conditions")
	}
	short := text
	for _, start := range []string{"whose ", "with ", "that ", "who ", "where ", "of ", "over "} {
		if after, has := strings.CutPrefix(short, start); has && short == text {
			short = after
			if (start == "of " || start == "over ") && len(clauses[0].chain) > 0 {
				short = clauses[0].chain[0] + " " + text
			}
		}
	}
	if negative {
		lead, short = lead+" other than those", "not: "+short
	}
	told.Group, told.Short = phrase(lead+" "+text), phrase(short)
	told.Name = told.Short
	if len(list) == 1 {
		told.Cut, told.Unit = u.cut, u.number.unit
		chain := list[0].chain
		switch {
		case list[0].value && len(chain) > 0 && u.name == "":
			told.Name = phrase(chain[len(chain)-1])
		case u.name != "" && told.Cut == nil, u.name != "" && rest[0].Count != nil:
			told.Name = phrase(u.name)
		}
	}
	told.Number = f.Shape != mln.ShapeNone && f.Shape != mln.ShapeOnce || f.Shape == mln.ShapeNone && t.local(rest, head)
	return told, true
}

// local reports whether literals outside of counts mention a thing that the head does not, so that their formula counts.
func (t *teller) local(rest []mln.Literal, head mln.Literal) (found bool) {
	for _, l := range rest {
		if l.Count == nil {
			mln.EachTerm(l.Expr(), func(x mln.Term) {
				found = found || x.Kind == mln.TermVariable && !t.schema.IsNumber(t.vars[x.Var].Type) && !mentions(head, x.Var)
			})
		}
	}
	return found
}

// InWords says in one sentence what a formula with a weight says: which cases are true more often or less often, if that is established or
// was not selected for prediction alone. The text is the same in every run.
func InWords(schema *mln.Schema, f *mln.Formula) Phrase {
	s := NewSpeaker(schema)
	t := s.Tell(f, false)
	headed, ok := f.Headed(schema)
	if t.Plain || !ok {
		return Join(Either(f.Hard, "A rule that always holds, and has no short reading.", "A rule that has no short reading."))
	}
	_, head := headed.Head()
	n := s.Nouns(head.Atom.Pred)
	group := capital(t.Group)
	switch more := (f.Weight >= 0) != head.Negated; {
	case f.UnitOf() >= 0:
		return Join("How often ", n.Many, " ", n.True, " at all.")
	case f.Standing == mln.StandingAlso:
		return Join(group, ".")
	case t.Number && t.Name.String() != t.Short.String():
		return Join("By ", t.Name, ": the higher, the "+Either(more, "more", "less")+" often ", n.Many, " ", n.True, ".")
	default:
		return Join(group, " ", n.True, " "+Either(more, "more", "less")+" often.")
	}
}

// capital returns a phrase with an upper-case first letter.
func capital(p Phrase) Phrase {
	if len(p) == 0 {
		return p
	}
	return append(Phrase{{english.Capital(p[0].Text), p[0].Name}}, p[1:]...)
}
