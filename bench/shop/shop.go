// Package shop writes the tables of a small web shop as its systems would export them, with known causes of who buys again.
//
//	customers.csv    customer_id, joined_on, birth_year, city, newsletter
//	products.csv     product_id, name, category, price
//	orders.csv       order_id, customer_id, ordered_on, channel, discount_code
//	order_lines.csv  order_id, product_id, quantity, unit_price
//	returns.csv      return_id, order_id, customer_id, product_id, returned_on, reason
//	visits.csv       visit_id, customer_id, product_id, visited_at
//	mailings.csv     mailing_id, mailed_on, subject
//	responses.csv    mailing_id, customer_id, mailed_on
//
// Cells of birth_year, discount_code, reason, of the customer of an anonymous visit, and of the product where a visit
// looked at none, may be empty. responses lists who bought before a mailing and again in the 30 days that begin with it. It is
// the target; the other tables tell of these days too, and a prediction may use what is before the mailing.
//
// The log-odds of an order in the 30 days after a mailing are a sum over three causes, with the weights of [Causes]: recency,
// that is whether the last order and the last visit are recent; how many of the customer's products came back; and how many
// other customers lately bought a product that the customer has. Customers differ otherwise only by chance: city,
// newsletter, channel, discounts, age, quantities and prices cause nothing.
package shop

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"resolwe/internal/elementary"
)

// Causes are the planted causes of an order in the 30 days after a mailing, as terms of its log-odds.
type Causes struct {
	Base        float64 // for everyone
	RecentOrder float64 // added where the last order is at most 45 days old
	RecentVisit float64 // added where the last visit is at most 14 days old
	Returns     float64 // times log2(1 + number of returned products)
	Similar     float64 // times log2(1 + n), n the other customers who in the last 30 days bought a product that this one has
}

// Planted are the causes of the tables.
var Planted = Causes{Base: -3.6, RecentOrder: 1.3, RecentVisit: 1.3, Returns: -1, Similar: .45}

// Days that the causes count, and the window of the target.
const (
	orderDays = 45
	visitDays = 14
	trendDays = window
	window    = 30
)

// Options say how much is generated.
type Options struct {
	Scale float64 // of customers and products: 1, which 0 stands for, is 1,500 and 250; above 0, at most [MaxScale]
	Seed  uint64
}

// MaxScale is the largest scale.
const MaxScale = 16

// ErrScale says that a scale is out of range.
var ErrScale = errors.New("scale is out of range")

// Sizes.
const (
	customersAtOne = 1500
	productsAGroup = 25 // of which customers of one taste buy most
	customersEach  = 6  // for each product
	windows        = 42
	firstMailing   = 12 // window that the first mailing begins: a year of business is known then
)

// customer is what drives a customer, and what has happened.
type customer struct {
	joined     int32 // day
	taste      int   // group of products
	visiting   float64
	returning  float64        // part of the products that come back
	lastOrder  int32          // day, -1 where there is none
	lastVisit  int32          // day, -1 where there is none
	returned   []int32        // days
	has        map[int32]bool // products
	inProgress []int32        // products of the window
}

// world is the shop while it is generated.
type world struct {
	rand      *rand.Rand
	customers []customer
	groups    int
	popular   [][]int32 // by group: its products, the most popular of the window first
	buyers    [][]int32 // by product: customers who bought it in the window before, in order
	log       events
}

// Generate writes the tables into dir, which is made where it is missing. They appear once all are complete; the same scale
// and seed give the same bytes on any processor.
func Generate(ctx context.Context, dir string, opt Options) (*Stats, error) {
	if opt.Scale == 0 {
		opt.Scale = 1
	}
	if !(opt.Scale > 0 && opt.Scale <= MaxScale) { // NaN too
		return nil, fmt.Errorf("%w: %v is not above 0 and at most %d", ErrScale, opt.Scale, MaxScale)
	}
	w := newWorld(&opt)
	for i := range windows {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		w.live(i)
	}
	w.log.sort()
	if err := w.write(dir); err != nil {
		return nil, err
	}
	return w.stats(&opt), nil
}

func newWorld(opt *Options) *world {
	n := max(60, int(math.Round(customersAtOne*opt.Scale)))
	groups := max(2, n/customersEach/productsAGroup)
	w := &world{
		rand: rand.New(rand.NewPCG(opt.Seed, 1)), groups: groups,
		customers: make([]customer, n), buyers: make([][]int32, groups*productsAGroup), popular: make([][]int32, groups),
	}
	for i := range w.customers {
		c := &w.customers[i]
		*c = customer{
			joined: int32(w.rand.IntN(windows * window * 2 / 3)), taste: w.rand.IntN(groups),
			visiting: .3 + float64(1.4*w.rand.Float64()), returning: .03, lastOrder: -1, lastVisit: -1, has: map[int32]bool{},
		}
		if w.chance(.3) {
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

func (w *world) chance(p float64) bool { return w.rand.Float64() < p }

// geometric draws a whole number of at least 0 with the given mean.
func (w *world) geometric(mean float64) int {
	return int(elementary.Log(1-float64(w.rand.Float64())) / elementary.Log(mean/(mean+1)))
}

// live lets a window of days pass. Who buys is decided on what is known at its beginning.
func (w *world) live(index int) {
	begin := int32(index * window)
	if index >= firstMailing {
		w.log.mailings = append(w.log.mailings, begin)
	}
	for g := range w.popular { // fashions change
		if w.chance(.5) {
			w.rand.Shuffle(productsAGroup, func(i, j int) { w.popular[g][i], w.popular[g][j] = w.popular[g][j], w.popular[g][i] })
		}
	}
	bought := make([][]int32, len(w.buyers))
	for i := range w.customers {
		c := &w.customers[i]
		if c.joined >= begin+window {
			continue
		}
		w.window(int32(i), begin, index >= firstMailing)
		for _, p := range c.inProgress {
			if list := bought[p]; len(list) == 0 || list[len(list)-1] != int32(i) {
				bought[p] = append(bought[p], int32(i))
			}
		}
	}
	w.buyers = bought
	for i := range w.customers {
		c := &w.customers[i]
		for _, p := range c.inProgress {
			c.has[p] = true
		}
		c.inProgress = c.inProgress[:0]
	}
}

// window lets a customer live through a window.
func (w *world) window(id, begin int32, mailed bool) {
	c := &w.customers[id]
	orders := 0
	switch known := c.lastOrder >= 0; {
	case c.joined >= begin: // the first order comes with the account, for most
		if w.chance(.9) {
			w.order(id, c.joined)
		}
	case w.chance(w.probability(id, begin)):
		orders = 1 + w.geometric(.2)
		if known && mailed {
			w.log.responses = append(w.log.responses, response{int32(len(w.log.mailings) - 1), id})
		}
	}
	for range orders {
		w.order(id, begin+int32(w.rand.IntN(window)))
	}
	for range w.geometric(c.visiting) {
		day := max(c.joined, begin+int32(w.rand.IntN(window)))
		product := int32(-1)
		if w.chance(.8) {
			product = w.product(c)
		}
		w.visit(id, product, day)
	}
	for range w.geometric(.4) { // nobody signs in
		w.log.visits = append(w.log.visits, visit{-1, w.product(c), begin + int32(w.rand.IntN(window)), w.second()})
	}
}

// probability is that of an order after a mailing.
func (w *world) probability(id, begin int32) float64 {
	c := &w.customers[id]
	z := Planted.Base
	if c.lastOrder >= 0 && begin-c.lastOrder <= orderDays {
		z += Planted.RecentOrder
	}
	if c.lastVisit >= 0 && begin-c.lastVisit <= visitDays {
		z += Planted.RecentVisit
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
	z += float64(Planted.Returns * elementary.Log2(float64(1+returned)))
	z += float64(Planted.Similar * elementary.Log2(float64(1+len(others))))
	return 1 / (1 + elementary.Exp(-z))
}

// order has a customer buy some products, and send some back.
func (w *world) order(id, day int32) {
	c := &w.customers[id]
	o := order{customer: id, day: day}
	for range 1 + w.geometric(.7) {
		p := w.product(c)
		if containsLine(o.lines, p) {
			continue
		}
		o.lines = append(o.lines, line{product: p, quantity: int32(1 + w.geometric(.3))})
		c.inProgress = append(c.inProgress, p)
		if w.chance(c.returning) {
			back := day + 3 + int32(w.rand.IntN(15))
			o.lines[len(o.lines)-1].returned = back
			c.returned = append(c.returned, back)
		}
	}
	c.lastOrder = max(c.lastOrder, day)
	w.log.orders = append(w.log.orders, o)
	w.visit(id, o.lines[0].product, day)
}

// product draws one: mostly of the customer's taste, and there mostly what is in fashion.
func (w *world) product(c *customer) int32 {
	group := c.taste
	if w.chance(.2) {
		group = w.rand.IntN(w.groups)
	}
	return w.popular[group][min(w.geometric(5), productsAGroup-1)]
}

func (w *world) visit(id, product, day int32) {
	w.log.visits = append(w.log.visits, visit{id, product, day, w.second()})
	w.customers[id].lastVisit = max(w.customers[id].lastVisit, day)
}

// second draws a second of the day.
func (w *world) second() int32 { return int32(w.rand.IntN(24 * 60 * 60)) }
