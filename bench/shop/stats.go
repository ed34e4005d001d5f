package shop

import (
	"fmt"
	"strings"
)

// Stats says what was generated.
type Stats struct {
	Scale                                                                     float64
	Seed                                                                      uint64
	Customers, Products, Orders, OrderLines, Returns, Visits, Mailings, Again int // rows; Again those of responses
	Causes                                                                    Causes
}

func (w *world) stats(opt *Options) *Stats {
	s := &Stats{
		Scale: opt.Scale, Seed: opt.Seed, Causes: Planted,
		Customers: len(w.customers), Products: len(w.buyers), Orders: len(w.log.orders), Returns: len(w.log.returns()),
		Visits: len(w.log.visits), Mailings: len(w.log.mailings), Again: len(w.log.responses),
	}
	for _, o := range w.log.orders {
		s.OrderLines += len(o.lines)
	}
	return s
}

// String is the report: the rows of each table, then the causes.
func (s *Stats) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "shop, scale %v, seed %d\n\n", s.Scale, s.Seed)
	for _, t := range []struct {
		name string
		rows int
	}{
		{"customers", s.Customers},
		{"products", s.Products},
		{"orders", s.Orders},
		{"order_lines", s.OrderLines},
		{"returns", s.Returns},
		{"visits", s.Visits},
		{"mailings", s.Mailings},
		{"responses", s.Again},
	} {
		fmt.Fprintf(&b, "%8d  %s\n", t.rows, t.name)
	}
	b.WriteString("\nlog-odds of an order in the 30 days after a mailing\n\n")
	for _, c := range []struct {
		weight float64
		cause  string
	}{
		{s.Causes.Base, "for everyone"},
		{s.Causes.RecentOrder, "where the last order is at most 45 days old"},
		{s.Causes.RecentVisit, "where the last visit is at most 14 days old"},
		{s.Causes.Returns, "for each doubling of 1 + the number of returned products"},
		{s.Causes.Similar, "for each doubling of 1 + the number of other customers who lately bought a product that this one has"},
	} {
		fmt.Fprintf(&b, "%8.2f  %s\n", c.weight, c.cause)
	}
	return b.String()
}
