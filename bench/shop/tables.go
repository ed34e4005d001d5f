package shop

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"resolwe/internal/atomicfile"
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

// tables are files of one folder, which appear together.
type tables struct {
	dir  string
	open []*table
}

// table is a CSV file that is being written.
type table struct {
	csv  *csv.Writer
	file *atomicfile.File
	rows int
}

// add writes a row. Errors come with [tables.commit].
func (t *table) add(cells ...string) {
	_ = t.csv.Write(cells)
	t.rows++
}

// create begins NAME.csv.
func (t *tables) create(name string, columns ...string) (*table, error) {
	file, err := atomicfile.Create(filepath.Join(t.dir, name+".csv"))
	if err != nil {
		return nil, err
	}
	out := &table{csv: csv.NewWriter(file), file: file, rows: -1} // the header is none
	t.open = append(t.open, out)
	out.add(columns...)
	return out, nil
}

// commit puts all files in place.
func (t *tables) commit() error {
	for _, out := range t.open {
		if out.csv.Flush(); out.csv.Error() != nil {
			return out.csv.Error()
		}
	}
	for _, out := range t.open {
		if err := out.file.Commit(); err != nil {
			return err
		}
	}
	return nil
}

func (t *tables) abort() {
	for _, out := range t.open {
		out.file.Abort()
	}
}

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
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	t := &tables{dir: dir}
	defer t.abort()
	prices := make([]int, len(w.buyers))
	for i := range prices {
		prices[i] = 199 + w.rand.IntN(9000)
	}
	err := errors.Join(w.writeCustomers(t), w.writeProducts(t, prices), w.writeOrders(t, prices), w.writeVisits(t), w.writeMailings(t))
	if err != nil {
		return err
	}
	return t.commit()
}

func (w *world) writeCustomers(t *tables) error {
	out, err := t.create("customers", "customer_id", "joined_on", "birth_year", "city", "newsletter")
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
		out.add(id("C", int32(i)), date(w.customers[i].joined), year, w.pick(cities), newsletter)
	}
	return nil
}

func (w *world) writeProducts(t *tables, prices []int) error {
	out, err := t.create("products", "product_id", "name", "category", "price")
	if err != nil {
		return err
	}
	for p := range prices {
		category := categories[p/productsAGroup%len(categories)]
		out.add(id("P", int32(p)), fmt.Sprintf("%s no. %d", w.pick(things), p+1), category, price(prices[p]))
	}
	return nil
}

func (w *world) writeOrders(t *tables, prices []int) error {
	orders, err := t.create("orders", "order_id", "customer_id", "ordered_on", "channel", "discount_code")
	if err != nil {
		return err
	}
	lines, err := t.create("order_lines", "order_id", "product_id", "quantity", "unit_price")
	if err != nil {
		return err
	}
	for i, o := range w.log.orders {
		number := id("O", int32(i))
		orders.add(number, id("C", o.customer), date(o.day), w.pick(channels), w.pick(discounts))
		for _, l := range o.lines {
			lines.add(number, id("P", l.product), strconv.Itoa(int(l.quantity)), price(prices[l.product]))
		}
	}
	out, err := t.create("returns", "return_id", "order_id", "customer_id", "product_id", "returned_on", "reason")
	if err != nil {
		return err
	}
	for i, b := range w.log.returns() {
		out.add(id("R", int32(i)), id("O", b.order), id("C", b.customer), id("P", b.product), date(b.returned), w.pick(reasons))
	}
	return nil
}

func (w *world) writeVisits(t *tables) error {
	out, err := t.create("visits", "visit_id", "customer_id", "product_id", "visited_at")
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
		out.add(id("V", int32(i)), customer, product, moment(v.day, v.second))
	}
	return nil
}

func (w *world) writeMailings(t *tables) error {
	mailings, err := t.create("mailings", "mailing_id", "mailed_on", "subject")
	if err != nil {
		return err
	}
	responses, err := t.create("responses", "mailing_id", "customer_id", "mailed_on")
	if err != nil {
		return err
	}
	for i, day := range w.log.mailings {
		mailings.add(id("M", int32(i)), date(day), opening.AddDate(0, 0, int(day)).Format("January 2006: news"))
	}
	for _, r := range w.log.responses {
		responses.add(id("M", r.mailing), id("C", r.customer), date(w.log.mailings[r.mailing]))
	}
	return nil
}
