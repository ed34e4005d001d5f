package render

import (
	"cmp"
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/internal/english"
)

// sentences tells the literals besides the head, the first of them in the negative if flip. The teller that it returns knows what was told.
func (t *teller) sentences(rest []mln.Literal, args []mln.Term, flip bool) (out []clause, u *teller) {
	u = t.within(rest)
	u.flip, u.known, u.deep = flip, map[int]string{}, len(args) > 1
	order := make([]int, len(args))
	for i, a := range args {
		order[i] = i
		name := t.noun(a.Type).One
		u.known[a.Var] = "the " + name
		for j, b := range args {
			if i != j && a.Type == b.Type {
				u.known[a.Var] = "the " + Either(i < j, "first ", "second ") + name
			}
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { // as literals mention them, those that none mentions last
		first := func(k int) int {
			return slices.IndexFunc(rest, func(l mln.Literal) bool { return mentions(l, args[k].Var) })
		}
		return cmp.Compare(uint(first(i)), uint(first(j)))
	})
	for _, i := range order {
		for _, c := range u.clauses(args[i].Var) {
			if len(args) > 1 {
				subject := u.known[args[i].Var]
				if len(c.chain) > 0 {
					subject += "'s " + possessed(c.chain)
				}
				c = clause{post: "where " + subject + " " + c.verb}
			}
			out = append(out, c)
		}
	}
	for i := range rest {
		u.bad = u.bad || !u.used[i]
	}
	u.bad = u.bad || len(out) == 0
	return out, u
}

// group tells which cases a formula is about, and reports whether it could.
func (t *teller) group(f *mln.Formula, rest []mln.Literal, head mln.Literal, inverse bool) (told Told, ok bool) {
	args := head.Atom.Args
	if !mln.DistinctVariables(args) {
		return told, false
	}
	list, u := t.sentences(rest, args, false)
	if u.bad {
		return told, false
	}
	lead := Either(len(args) > 1, "pairs", t.nouns.Many)
	negative := inverse
	if inverse && len(list) == 1 {
		if other, v := t.sentences(rest, args, true); !v.flip && !v.bad {
			list, u, negative = other, v, false
		}
	}
	text := strings.TrimSpace(u.join(list, t.nouns.Who, true))
	if u.left > 0 {
		text += " and " + Count(u.left, "more condition", "more conditions")
	}
	short := shortened(text, list[0])
	if negative {
		lead, short = lead+" other than those", "not: "+short
	}
	told.Inverse, told.Group, told.Short = inverse, phrase(lead+" "+text), phrase(short)
	told.Name = told.Short
	if len(list) == 1 {
		told.Cut, told.Unit, told.Share = u.cut, u.number.unit, u.number.share
		switch chain := list[0].chain; {
		case list[0].value && len(chain) > 0 && u.name == "":
			told.Name = phrase(chain[len(chain)-1])
		case u.name != "" && (told.Cut == nil || rest[0].Count != nil):
			told.Name = phrase(u.name)
		}
	}
	told.Number = f.Compares() || f.Shape == mln.ShapeMean || f.Shape != mln.ShapeOnce && t.local(rest, head)
	return told, true
}

// shortened returns clauses without what connects the first with its noun.
func shortened(text string, first clause) string {
	for _, start := range []string{"whose ", "with ", "that ", "who ", "where "} {
		if after, has := strings.CutPrefix(text, start); has {
			return after
		}
	}
	if first.value && len(first.chain) > 0 { // "of 5 CZK or more"
		return first.chain[0] + " " + text
	}
	return text
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
	case f.Standing == mln.StandingAlso && f.Measures():
		return Join("By ", t.Name, ".")
	case f.Standing == mln.StandingAlso:
		return Join(group, ".")
	case f.Measures():
		return Join("By ", t.Name, ": the higher, the "+Either(more, "more", "less")+" often ", n.Many, " ", n.True, ".")
	case t.Number:
		return Join(group, " ", n.True, " "+Either(more, "more", "less")+" often, the "+Either(f.Shape == mln.ShapeMean, "larger their share", "more of these")+" the more so.")
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
