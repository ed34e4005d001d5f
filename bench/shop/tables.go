package shop

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"resolwe/bench/csvtables"
	"resolwe/bench/draw"
)

// Names used in cells.
var (
	cities     = []string{"Ljubljana", "Maribor", "Celje", "Kranj", "Koper", "Novo mesto", "Murska Sobota"}
	channels   = []string{"web", "app", "phone"}
	reasons    = []string{"too small", "too large", "broken", "not as described, or late", `changed "my mind"`, ""}
	discounts  = []string{"", "", "", "WELCOME10", "FREESHIP"}
	categories = []string{"kitchen", "garden", "office", "toys", "sports", "books", "music", "tools"}
	things     = []string{"kettle", "lamp", "pen, blue", "rope", "ball", "atlas", `12" ruler`, "drum", "saw", "mug"}
)

// id returns the name of a row, or an empty cell for a missing one.
func id[N int | int32](prefix string, i N) string {
	if i < 0 {
		return ""
	}
	return prefix + strconv.Itoa(int(i)+1)
}

func price(cents int) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

// moment formats a time after the opening.
func moment(day, second int32, layout string) string {
	opening := time.Date(2022, time.January, 1, 0, 0, 0, 0, time.UTC)
	return opening.AddDate(0, 0, int(day)).Add(time.Duration(second) * time.Second).Format(layout)
}

func date(day int32) string { return moment(day, 0, time.DateOnly) }

// write writes all tables, in order of time, and returns their numbers of rows. It draws the cells that have no effect.
func (w *world) write(dir string) (string, error) {
	t, err := csvtables.New(dir, ".csv")
	if err != nil {
		return "", err
	}
	defer t.Abort()
	slices.SortStableFunc(w.orders, func(a, b order) int { return cmp.Compare(a.day, b.day) })
	slices.SortStableFunc(w.visits, func(a, b visit) int {
		return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.second, b.second))
	})
	prices := make([]int, len(w.buyers))
	for i := range prices {
		prices[i] = 199 + w.rand.IntN(9000)
	}
	customers := t.Create("customers", "customer_id", "joined_on", "birth_year", "city", "newsletter")
	for i, c := range w.customers {
		year, newsletter := "", "N"
		if w.rand.Chance(.6) {
			year = strconv.Itoa(1945 + w.rand.IntN(60))
		}
		if w.rand.Chance(.7) {
			newsletter = "Y"
		}
		customers.Add(id("C", i), date(c.joined), year, draw.Pick(w.rand, cities), newsletter)
	}
	products := t.Create("products", "product_id", "name", "category", "price")
	for p := range prices {
		category := categories[p/productsAGroup%len(categories)]
		products.Add(id("P", p), fmt.Sprintf("%s no. %d", draw.Pick(w.rand, things), p+1), category, price(prices[p]))
	}
	w.writeOrders(t, prices)
	visits := t.Create("visits", "visit_id", "customer_id", "product_id", "visited_at")
	for i, v := range w.visits {
		visits.Add(id("V", i), id("C", v.customer), id("P", v.product), moment(v.day, v.second, "2006-01-02T15:04:05Z"))
	}
	mailings := t.Create("mailings", "mailing_id", "mailed_on", "subject")
	for i, day := range w.mailings {
		mailings.Add(id("M", i), date(day), moment(day, 0, "January 2006: news"))
	}
	responses := t.Create("responses", "mailing_id", "customer_id", "mailed_on")
	for _, r := range w.responses {
		responses.Add(id("M", r.mailing), id("C", r.customer), date(w.mailings[r.mailing]))
	}
	return t.Report(8), t.Commit()
}

func (w *world) writeOrders(t *csvtables.Tables, prices []int) {
	orders := t.Create("orders", "order_id", "customer_id", "ordered_on", "channel", "discount_code")
	lines := t.Create("order_lines", "order_id", "product_id", "quantity", "unit_price")
	type back struct {
		line
		customer int32
		order    int
	}
	var returned []back
	for i, o := range w.orders {
		orders.Add(id("O", i), id("C", o.customer), date(o.day), draw.Pick(w.rand, channels), draw.Pick(w.rand, discounts))
		for _, l := range o.lines {
			lines.Add(id("O", i), id("P", l.product), strconv.Itoa(l.quantity), price(prices[l.product]))
			if l.returned > 0 {
				returned = append(returned, back{l, o.customer, i})
			}
		}
	}
	slices.SortStableFunc(returned, func(a, b back) int { return cmp.Compare(a.returned, b.returned) })
	returns := t.Create("returns", "return_id", "order_id", "customer_id", "product_id", "returned_on", "reason")
	for i, b := range returned {
		returns.Add(id("R", i), id("O", b.order), id("C", b.customer), id("P", b.product), date(b.returned), draw.Pick(w.rand, reasons))
	}
}

// report describes what was generated: the rows of each table, then the causes.
func report(opt *csvtables.Options, rows string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "shop, scale %v, seed %d\n\n%s\nlog-odds of an order in the 30 days after a mailing\n\n", opt.Scale, opt.Seed, rows)
	for _, c := range []struct {
		weight float64
		cause  string
	}{
		{planted.base, "for everyone"},
		{planted.recentOrder, "where the last order is at most 45 days old"},
		{planted.recentVisit, "where the last visit is at most 14 days old"},
		{planted.returns, "for each doubling of 1 + the number of returned products"},
		{planted.similar, "for each doubling of 1 + the number of other customers who lately bought a product that this one has"},
	} {
		fmt.Fprintf(&b, "%8.2f  %s\n", c.weight, c.cause)
	}
	return b.String()
}
