package shop

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"resolwe/bench/csvtables"
)

// Names that cells take.
var (
	cities     = []string{"Ljubljana", "Maribor", "Celje", "Kranj", "Koper", "Novo mesto", "Murska Sobota"}
	channels   = []string{"web", "app", "phone"}
	reasons    = []string{"too small", "too large", "broken", "not as described, or late", `changed "my mind"`, ""}
	discounts  = []string{"", "", "", "WELCOME10", "FREESHIP"}
	categories = []string{"kitchen", "garden", "office", "toys", "sports", "books", "music", "tools"}
	things     = []string{"kettle", "lamp", "pen, blue", "rope", "ball", "atlas", `12" ruler`, "drum", "saw", "mug"}
)

func id(prefix string, i int32) string { return prefix + strconv.Itoa(int(i)+1) }

func price(cents int) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

var opening = time.Date(2022, time.January, 1, 0, 0, 0, 0, time.UTC)

func date(day int32) string { return opening.AddDate(0, 0, int(day)).Format(time.DateOnly) }

func moment(day, second int32) string {
	return opening.AddDate(0, 0, int(day)).Add(time.Duration(second) * time.Second).Format("2006-01-02T15:04:05Z")
}

func (w *world) pick(from []string) string { return from[w.rand.IntN(len(from))] }

// write writes all tables. Cells that cause nothing are drawn here.
func (w *world) write(dir string) error {
	t, err := csvtables.New(dir, false)
	if err != nil {
		return err
	}
	defer t.Abort()
	prices := make([]int, len(w.buyers))
	for i := range prices {
		prices[i] = 199 + w.rand.IntN(9000)
	}
	err = errors.Join(w.writeCustomers(t), w.writeProducts(t, prices), w.writeOrders(t, prices), w.writeVisits(t), w.writeMailings(t))
	if err != nil {
		return err
	}
	return t.Commit()
}

func (w *world) writeCustomers(t *csvtables.Tables) error {
	out, err := t.Create("customers", "customer_id", "joined_on", "birth_year", "city", "newsletter")
	if err != nil {
		return err
	}
	for i := range w.customers {
		year, newsletter := "", "N"
		if w.chance(.6) {
			year = strconv.Itoa(1945 + w.rand.IntN(60))
		}
		if w.chance(.7) {
			newsletter = "Y"
		}
		out.Add(id("C", int32(i)), date(w.customers[i].joined), year, w.pick(cities), newsletter)
	}
	return nil
}

func (w *world) writeProducts(t *csvtables.Tables, prices []int) error {
	out, err := t.Create("products", "product_id", "name", "category", "price")
	if err != nil {
		return err
	}
	for p := range prices {
		category := categories[p/productsAGroup%len(categories)]
		out.Add(id("P", int32(p)), fmt.Sprintf("%s no. %d", w.pick(things), p+1), category, price(prices[p]))
	}
	return nil
}

func (w *world) writeOrders(t *csvtables.Tables, prices []int) error {
	orders, err := t.Create("orders", "order_id", "customer_id", "ordered_on", "channel", "discount_code")
	if err != nil {
		return err
	}
	lines, err := t.Create("order_lines", "order_id", "product_id", "quantity", "unit_price")
	if err != nil {
		return err
	}
	for i, o := range w.log.orders {
		number := id("O", int32(i))
		orders.Add(number, id("C", o.customer), date(o.day), w.pick(channels), w.pick(discounts))
		for _, l := range o.lines {
			lines.Add(number, id("P", l.product), strconv.Itoa(int(l.quantity)), price(prices[l.product]))
		}
	}
	out, err := t.Create("returns", "return_id", "order_id", "customer_id", "product_id", "returned_on", "reason")
	if err != nil {
		return err
	}
	for i, b := range w.log.returns() {
		out.Add(id("R", int32(i)), id("O", b.order), id("C", b.customer), id("P", b.product), date(b.returned), w.pick(reasons))
	}
	return nil
}

func (w *world) writeVisits(t *csvtables.Tables) error {
	out, err := t.Create("visits", "visit_id", "customer_id", "product_id", "visited_at")
	if err != nil {
		return err
	}
	for i, v := range w.log.visits {
		customer, product := "", ""
		if v.customer >= 0 {
			customer = id("C", v.customer)
		}
		if v.product >= 0 {
			product = id("P", v.product)
		}
		out.Add(id("V", int32(i)), customer, product, moment(v.day, v.second))
	}
	return nil
}

func (w *world) writeMailings(t *csvtables.Tables) error {
	mailings, err := t.Create("mailings", "mailing_id", "mailed_on", "subject")
	if err != nil {
		return err
	}
	responses, err := t.Create("responses", "mailing_id", "customer_id", "mailed_on")
	if err != nil {
		return err
	}
	for i, day := range w.log.mailings {
		mailings.Add(id("M", int32(i)), date(day), opening.AddDate(0, 0, int(day)).Format("January 2006: news"))
	}
	for _, r := range w.log.responses {
		responses.Add(id("M", r.mailing), id("C", r.customer), date(w.log.mailings[r.mailing]))
	}
	return nil
}
