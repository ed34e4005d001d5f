package derive

import (
	"fmt"
	"slices"

	"resolwe/format/mln"
	"resolwe/kernels/plan"
)

// Relations are the derived relations of some formulas. Once all formulas have been rewritten they are complete, and may be shared by
// many goroutines.
type Relations struct {
	schema *mln.Schema
	types  int // of the model; unit comes next
	preds  int // of the model; the derived ones come next
	index  map[string]int
	orders []order // of numbers
	counts []count
	prog   *plan.Program // for counts and aggregates

	aggregates []*aggregate
}

// unit is the name of a type with a single entity, of the same name. Relations without variables are over this type.
const unit = ""

// order is the relation of the numbers that compare with a value by op.
type order struct {
	pred  int
	op    mln.Comparison
	value float64
}

// New returns the relations of a schema, without derived ones.
func New(schema *mln.Schema) *Relations {
	own := &mln.Schema{Types: slices.Clip(schema.Types), Predicates: slices.Clip(schema.Predicates), Kinds: schema.Kinds}
	return &Relations{
		schema: own, types: len(own.Types), preds: len(own.Predicates), index: map[string]int{}, prog: plan.NewProgram(own),
	}
}

// Schema returns the schema with the derived predicates after those of the model. It grows as formulas are rewritten.
func (r *Relations) Schema() *mln.Schema { return r.schema }

// Formula returns an equivalent formula over the schema, with the same variables: f itself if nothing needs to be derived.
func (r *Relations) Formula(f *mln.Formula) *mln.Formula {
	if !derives(f.Body) {
		return f
	}
	out := *f
	out.Body = r.expr(f, f.Body)
	return &out
}

// Formulas applies Formula to each formula.
func (r *Relations) Formulas(fs []*mln.Formula) []*mln.Formula {
	out := make([]*mln.Formula, len(fs))
	for i, f := range fs {
		out[i] = r.Formula(f)
	}
	return out
}

// Literals returns equivalent literals over the schema.
func (r *Relations) Literals(f *mln.Formula, ls []mln.Literal) []mln.Literal {
	out := make([]mln.Literal, len(ls))
	for i, l := range ls {
		out[i] = r.literal(f, l)
	}
	return out
}

// derives reports whether an expression contains something to derive.
func derives(x mln.Expr) bool {
	switch x.(type) {
	case *mln.Compare, *mln.Count:
		return true
	}
	return slices.ContainsFunc(mln.Operands(x), derives)
}

func (r *Relations) expr(f *mln.Formula, x mln.Expr) mln.Expr {
	switch x := x.(type) {
	case *mln.Compare:
		return signed(r.literal(f, mln.Literal{Compare: x}))
	case *mln.Count:
		return signed(r.literal(f, mln.Literal{Count: x}))
	}
	return mln.Mapped(x, func(y mln.Expr) mln.Expr { return r.expr(f, y) })
}

func signed(l mln.Literal) mln.Expr {
	if l.Negated {
		return &mln.Not{X: l.Atom}
	}
	return l.Atom
}

// literal returns an equivalent literal over the schema.
func (r *Relations) literal(f *mln.Formula, l mln.Literal) mln.Literal {
	var a *mln.Atom
	var opposite bool
	switch {
	case l.Compare != nil:
		a, opposite = r.order(l.Compare)
	case l.Count != nil && l.Count.Kind != mln.AggregateCount:
		a = r.aggregate(f, l.Count)
	case l.Count != nil:
		a, opposite = r.count(f, l.Count)
	default:
		return l
	}
	return mln.Literal{Atom: a, Negated: l.Negated != opposite}
}

// order returns the atom that replaces a comparison of a number; if opposite, the atom's negation does.
func (r *Relations) order(c *mln.Compare) (a *mln.Atom, opposite bool) {
	o := order{op: c.Op}
	o.value, _ = mln.ParseNumber(c.Value.Name) // checked by the parser
	switch o.op {
	case mln.Less:
		o.op, opposite = mln.AtLeast, true
	case mln.AtMost:
		o.op, opposite = mln.Greater, true
	case mln.AtLeast, mln.Greater, mln.SameAs, mln.OtherThan:
	}
	var fresh bool
	if o.pred, fresh = r.predicate(fmt.Sprint(o.op, c.Value.Name, " type ", c.X.Type), []int{c.X.Type}); fresh {
		r.orders = append(r.orders, o)
	}
	return r.atom(o.pred, []mln.Term{c.X}, c.Pos), opposite
}

// predicate returns the derived predicate of a key, and whether it is new.
func (r *Relations) predicate(key string, args []int) (pred int, fresh bool) {
	pred, ok := r.index[key]
	if !ok {
		pred = len(r.schema.Predicates)
		r.schema.Predicates = append(r.schema.Predicates, mln.Predicate{Name: key, Args: args, Role: mln.RoleEvidence})
		r.index[key] = pred
	}
	return pred, !ok
}

func (r *Relations) atom(pred int, args []mln.Term, pos mln.Position) *mln.Atom {
	return &mln.Atom{Pred: pred, Name: r.schema.Predicates[pred].Name, Args: args, Pos: pos}
}
