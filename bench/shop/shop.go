package shop

import (
	"context"
	"math"
	"slices"

	"resolwe/bench/csvtables"
	"resolwe/bench/draw"
	"resolwe/internal/elementary"
)

// planted are the causes of an order in the 30 days after a mailing, as terms of its log-odds.
var planted = struct {
	base        float64 // for everyone
	recentOrder float64 // added if the last order is at most 45 days old
	recentVisit float64 // added if the last visit is at most 14 days old
	returns     float64 // times log2(1 + number of returned products)
	similar     float64 // times log2(1 + n), with n other customers who bought in the last 30 days a product that this one has
}{-3.6, 1.3, 1.3, -1, .45}

// The time windows of the causes and of the target, in days.
const (
	orderDays = 45
	visitDays = 14
	window    = 30
)

// Sizes.
const (
	customersAtOne = 1500
	productsAGroup = 25 // products per group; customers of one taste buy most from one group
	customersEach  = 6  // customers per product
	windows        = 42
	firstMailing   = 12 // window that begins with the first mailing, after a year of business
)

// customer holds what drives a customer, and the customer's history.
type customer struct {
	joined               int32 // day
	taste                int   // group of products
	visiting             float64
	returning            float64        // share of products that are returned
	lastOrder, lastVisit int32          // days, -1 if none
	returned             []int32        // days
	has                  map[int32]bool // products
}

// order, visit and response are events, and rows of the tables.
type order struct {
	customer, day int32
	lines         []line
}

type line struct {
	product  int32
	quantity int
	returned int32 // day, 0 if it was kept
}

// visit has -1 for an anonymous visitor, or for no product.
type visit struct{ customer, product, day, second int32 }

type response struct {
	mailing  int
	customer int32
}

// world is the state of the shop during generation.
type world struct {
	rand           draw.Source
	customers      []customer
	popular        [][]int32 // by group: its products, the most popular of the window first
	buyers, bought [][]int32 // by product: customers who bought it in the window before, and in this one, in order
	orders         []order
	visits         []visit
	mailings       []int32 // days
	responses      []response
}

// Generate writes the tables to dir, which it creates if missing, and returns a report on them. They appear once all are complete;
// the same scale and seed give the same bytes on any processor. The scale 1 is 1,500 customers and 250 products, at least 60 and 50.
// Progress is told of each simulated window.
func Generate(ctx context.Context, dir string, opt csvtables.Options) (string, error) {
	w := newWorld(&opt)
	for i := range windows {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if w.live(i); opt.Progress != nil {
			opt.Progress("shop", int64(i+1), windows)
		}
	}
	rows, err := w.write(dir)
	return report(&opt, rows), err
}

func newWorld(opt *csvtables.Options) *world {
	n := max(60, int(math.Round(customersAtOne*opt.Scale)))
	groups := max(2, n/customersEach/productsAGroup)
	w := &world{
		rand: draw.New(opt.Seed, 1), customers: make([]customer, n),
		bought: make([][]int32, groups*productsAGroup), popular: make([][]int32, groups),
	}
	for i := range w.customers {
		c := &w.customers[i]
		*c = customer{
			joined: int32(w.rand.IntN(windows * window * 2 / 3)), taste: w.rand.IntN(groups),
			visiting: .3 + float64(1.4*w.rand.Float64()), returning: .03, lastOrder: -1, lastVisit: -1, has: map[int32]bool{},
		}
		if w.rand.Chance(.3) {
			c.returning = .4
		}
	}
	for g := range w.popular {
		for p := range productsAGroup {
			w.popular[g] = append(w.popular[g], int32(g*productsAGroup+p))
		}
	}
	return w
}

// live simulates a window of days. Who buys depends on what is known at its beginning.
func (w *world) live(index int) {
	begin := int32(index * window)
	if index >= firstMailing {
		w.mailings = append(w.mailings, begin)
	}
	for _, group := range w.popular { // fashions change
		if w.rand.Chance(.5) {
			w.rand.Shuffle(productsAGroup, func(i, j int) { group[i], group[j] = group[j], group[i] })
		}
	}
	w.buyers, w.bought = w.bought, make([][]int32, len(w.bought))
	for i := range w.customers {
		if w.customers[i].joined < begin+window {
			w.window(int32(i), begin)
		}
	}
}

// window simulates a customer during a window.
func (w *world) window(id, begin int32) {
	c := &w.customers[id]
	orders := 0
	switch known := c.lastOrder >= 0; {
	case c.joined >= begin: // most customers place their first order when they join
		if w.rand.Chance(.9) {
			w.order(id, c.joined)
		}
	case w.rand.Chance(w.probability(id, begin)):
		orders = 1 + w.rand.Geometric(.2)
		if known && len(w.mailings) > 0 {
			w.responses = append(w.responses, response{len(w.mailings) - 1, id})
		}
	}
	for range orders {
		w.order(id, begin+int32(w.rand.IntN(window)))
	}
	for range w.rand.Geometric(c.visiting) {
		day := max(c.joined, begin+int32(w.rand.IntN(window)))
		product := int32(-1)
		if w.rand.Chance(.8) {
			product = w.product(c)
		}
		w.visit(id, product, day)
	}
	for range w.rand.Geometric(.4) { // anonymous visits
		w.visits = append(w.visits, visit{-1, w.product(c), begin + int32(w.rand.IntN(window)), w.second()})
	}
}

// probability returns the probability of an order after a mailing.
func (w *world) probability(id, begin int32) float64 {
	c := &w.customers[id]
	z := planted.base
	if c.lastOrder >= 0 && begin-c.lastOrder <= orderDays {
		z += planted.recentOrder
	}
	if c.lastVisit >= 0 && begin-c.lastVisit <= visitDays {
		z += planted.recentVisit
	}
	returned, others := 0, map[int32]bool{}
	for _, day := range c.returned {
		if day < begin {
			returned++
		}
	}
	for p := range c.has {
		for _, other := range w.buyers[p] {
			if other != id {
				others[other] = true
			}
		}
	}
	z += float64(planted.returns * elementary.Log2(float64(1+returned)))
	z += float64(planted.similar * elementary.Log2(float64(1+len(others))))
	return elementary.Sigmoid(z)
}

// order makes a customer buy some products, and return some.
func (w *world) order(id, day int32) {
	c := &w.customers[id]
	o := order{customer: id, day: day}
	for range 1 + w.rand.Geometric(.7) {
		p := w.product(c)
		if slices.ContainsFunc(o.lines, func(l line) bool { return l.product == p }) {
			continue
		}
		o.lines = append(o.lines, line{product: p, quantity: 1 + w.rand.Geometric(.3)})
		c.has[p] = true
		if n := len(w.bought[p]); n == 0 || w.bought[p][n-1] != id {
			w.bought[p] = append(w.bought[p], id)
		}
		if w.rand.Chance(c.returning) {
			back := day + 3 + int32(w.rand.IntN(15))
			o.lines[len(o.lines)-1].returned = back
			c.returned = append(c.returned, back)
		}
	}
	c.lastOrder = max(c.lastOrder, day)
	w.orders = append(w.orders, o)
	w.visit(id, o.lines[0].product, day)
}

// product draws a product, mostly to the customer's taste and then mostly a fashionable one.
func (w *world) product(c *customer) int32 {
	group := c.taste
	if w.rand.Chance(.2) {
		group = w.rand.IntN(len(w.popular))
	}
	return w.popular[group][min(w.rand.Geometric(5), productsAGroup-1)]
}

func (w *world) visit(id, product, day int32) {
	w.visits = append(w.visits, visit{id, product, day, w.second()})
	w.customers[id].lastVisit = max(w.customers[id].lastVisit, day)
}

// second draws a second of the day.
func (w *world) second() int32 { return int32(w.rand.IntN(24 * 60 * 60)) }
