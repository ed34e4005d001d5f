package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/render"
	"resolwe/internal/stage/inferring"
)

// Bounds of curves: the numbers that are measured, the cases of each, and the groups of a curve.
const (
	mostNumbers  = 40
	mostMeasured = 200_000
	mostPoints   = 10
)

// numbers are the values of the quantities of formulas, by formula of the final model.
type numbers map[int]*measured

// measured are the values of a number, where it is defined, and the cases where it is not.
type measured struct {
	values []valued // ascending, once sorted
	none   ratio
}

type valued struct {
	value    float64
	truth    bool
	subgraph int
}

// measure reads the numbers that formulas of the final model are about.
func (r *Report) measure(ctx context.Context, s *resolwe.Stream) error {
	opt := resolwe.FeatureOptions{Quantities: true, Run: r.options.Begin("numbers", s.Len())}
	model := uncompared(r.Final)
	columns, _ := resolwe.FeatureColumns(model, opt)
	r.numbers = numbers{}
	heads := make([]int, len(columns))
	for c, i := range columns {
		f := r.Final.Formulas[i]
		if heads[c] = -1; len(r.numbers) == mostNumbers || r.unit(f) {
			continue
		}
		if _, head, ok := f.Quantity(r.Final.Schema); ok {
			r.numbers[i], heads[c] = &measured{}, head.Pred
		}
	}
	if len(r.numbers) == 0 {
		return nil
	}
	var row []float64
	cases := 0
	err := inferring.Features(ctx, model, s, opt, func(rows *resolwe.FeatureRows) error {
		for a := range rows.Len() {
			truth := rows.Truth(a)
			if truth == subgraph.Unknown || cases == mostMeasured {
				continue
			}
			cases++
			pred, _ := rows.Args(a)
			row = rows.Values(a, row)
			for c, i := range columns {
				switch m := r.numbers[i]; {
				case heads[c] != pred || m == nil:
				case math.IsNaN(row[c]):
					m.none.add(truth == subgraph.True)
				default:
					m.values = append(m.values, valued{row[c], truth == subgraph.True, rows.Index})
				}
			}
		}
		for _, m := range r.numbers {
			m.none.end()
		}
		return nil
	})
	for _, m := range r.numbers {
		slices.SortStableFunc(m.values, func(a, b valued) int { return cmp.Compare(a.value, b.value) })
	}
	return err
}

// uncompared returns a model whose formulas use numbers as they are: those that rank them, or compare them with others, do not.
func uncompared(m *resolwe.Model) *resolwe.Model {
	list := slices.Clone(m.Formulas)
	for i, f := range list {
		if f.Compares() {
			plain := *f
			plain.Shape, plain.Numbers = mln.ShapeNone, nil
			list[i] = &plain
		}
	}
	return m.With(list)
}

// groups divides the values into groups of at least leastCases, of about equal size; equal values are in one group.
func (m *measured) groups() (ends []int) {
	n := len(m.values)
	size := max(leastCases, (n+mostPoints-1)/mostPoints)
	for from := 0; from < n; {
		to := min(n, from+size)
		for to < n && m.values[to].value == m.values[to-1].value {
			to++
		}
		if n-to < leastCases {
			to = n
		}
		ends, from = append(ends, to), to
	}
	return ends
}

// count returns the cases of a run of values, by subgraph.
func (m *measured) count(from, to int) (out ratio) {
	list := slices.Clone(m.values[from:to])
	slices.SortStableFunc(list, func(a, b valued) int { return cmp.Compare(a.subgraph, b.subgraph) })
	for i, v := range list {
		if i > 0 && v.subgraph != list[i-1].subgraph {
			out.end()
		}
		out.add(v.truth)
	}
	out.end()
	return out
}

// merge adds the cases of another ratio.
func (r *ratio) merge(o *ratio) {
	r.clusters, r.k, r.n = r.clusters+o.clusters, r.k+o.k, r.n+o.n
	r.kk, r.kn, r.nn = r.kk+o.kk, r.kn+o.kn, r.nn+o.nn
}

// cut returns the number at the boundary of groups that separates the shares most, and the cases on its sides: from it on, and below it or
// without a value. It returns false if there is one group.
func (m *measured) cut() (at float64, above, below ratio, ok bool) {
	ends, best := m.groups(), 0.
	for _, end := range ends[:max(0, len(ends)-1)] {
		high, low := m.count(end, len(m.values)), m.count(0, end)
		low.merge(&m.none)
		apart := (&telling{in: high, out: low}).apart()
		if !ok || apart > best {
			at, above, below, best, ok = simplest(m.values[end-1].value, m.values[end].value), high, low, apart, true
		}
	}
	return at, above, below, ok
}

// simplest returns the number of fewest digits that is above one number and at most another.
func simplest(above, most float64) float64 {
	for digits := range 17 {
		if v, err := strconv.ParseFloat(strconv.FormatFloat(most, 'e', digits, 64), 64); err == nil && v > above && v <= most {
			return v
		}
	}
	return most
}

// atLeast returns a formula about a number as one that compares it with a boundary.
func atLeast(f *mln.Formula, schema *mln.Schema, at float64) *mln.Formula {
	headed, ok := f.Headed(schema)
	if !ok {
		return f
	}
	rest, head := headed.Head()
	out := *headed
	out.Shape, out.Numbers = mln.ShapeNone, nil
	var xs []mln.Expr
	for _, l := range rest {
		switch {
		case l.Count != nil:
			n := *l.Count
			n.Op, n.K = mln.AtLeast, at
			xs = append(xs, &n)
		case l.Atom != nil:
			xs = append(xs, l.Expr())
			for _, a := range l.Atom.Args {
				if a.Kind == mln.TermVariable && schema.IsNumber(a.Type) {
					value := mln.Term{Kind: mln.TermConstant, Name: mln.FormatNumber(at), Type: a.Type, Number: true}
					xs = append(xs, &mln.Compare{X: a, Op: mln.AtLeast, Value: value})
				}
			}
		}
	}
	out.Body = &mln.And{Xs: append(xs, head.Expr())}
	return &out
}

// curve draws the share of true cases by a number.
func (r *Report) curve(m *measured, told *render.Told) *Curve {
	ends := m.groups()
	if len(ends) < 2 {
		return nil
	}
	out := &Curve{Title: "The number of a pattern without a short reading"}
	if !told.Plain {
		out.Title = told.Name.String() + render.Either(told.Unit != "" && !told.Share, ", "+told.Unit, "")
	}
	all, from := m.count(0, len(m.values)), 0
	out.Base = r.population.share(all.share())
	var counts []string
	for _, end := range ends {
		of := m.count(from, end)
		out.Groups = append(out.Groups, r.group(told.Value(m.values[end-1].value, 3, false), of, math.NaN()))
		counts, from = append(counts, fmt.Sprintf("%d of %d", of.k, of.n)), end
	}
	out.Counts = strings.Join(counts, " · ")
	return out
}
