package shop

import (
	"cmp"
	"slices"
)

// events is what has happened, and what the tables hold.
type events struct {
	orders    []order
	visits    []visit
	mailings  []int32 // days
	responses []response
}

type order struct {
	customer, day int32
	lines         []line
}

type line struct {
	product, quantity int32
	returned          int32 // day, 0 where it was kept
}

// visit is one of an anonymous visitor, or at no product, where that is -1.
type visit struct{ customer, product, day, second int32 }

type response struct{ mailing, customer int32 }

func containsLine(lines []line, product int32) bool {
	return slices.ContainsFunc(lines, func(l line) bool { return l.product == product })
}

// sort puts orders and visits into the order of time.
func (e *events) sort() {
	slices.SortStableFunc(e.orders, func(a, b order) int { return cmp.Compare(a.day, b.day) })
	slices.SortStableFunc(e.visits, func(a, b visit) int {
		return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.second, b.second))
	})
}

// back is a returned line of an order.
type back struct {
	line
	customer, order int32
}

// returns lists the returned lines in the order of time.
func (e *events) returns() []back {
	var out []back
	for i, o := range e.orders {
		for _, l := range o.lines {
			if l.returned > 0 {
				out = append(out, back{l, o.customer, int32(i)})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b back) int { return cmp.Compare(a.returned, b.returned) })
	return out
}
