package tableinit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"resolwe/format/mln"
	"resolwe/format/recipe"
	"resolwe/format/subgraph"
	"resolwe/format/tablefile"
	"resolwe/format/tableinit"
	"resolwe/internal/printable"
	"resolwe/internal/test/check"
)

type order struct {
	Order    int64     `parquet:"order_id"`
	Customer string    `parquet:"customer_id"`
	At       time.Time `parquet:"ordered_at,timestamp(millisecond)"`
	Tags     []string  `parquet:"tags,list"`
}

// folder writes files, the last first where they are turned round, and returns their folder.
func folder(t *testing.T, turned bool, files ...[2]string) string {
	t.Helper()
	dir := t.TempDir()
	for i := range files {
		f := files[i]
		if turned {
			f = files[len(files)-1-i]
		}
		check.OK(t, os.WriteFile(filepath.Join(dir, f[0]), []byte(f[1]), 0o600))
	}
	return dir
}

// shop is a folder of five tables, one of them Parquet.
func shop(t *testing.T) [][2]string {
	t.Helper()
	var customers, lines, favourites, views strings.Builder
	views.WriteString("customer_id,product_id,seen_on\n")
	customers.WriteString("customer_id,city\n")
	lines.WriteString("order_id;product_id\n")
	favourites.WriteString("customer\tproduct\n")
	var orders []order
	for i := range 120 {
		customer := fmt.Sprintf("c%02d", i%60)
		if i < 60 {
			fmt.Fprintf(&customers, "%s,%s\n", customer, []string{"Rome", "Oslo"}[i%2])
		}
		at := time.Date(2020, 1, 1+2*i, 10, 0, 0, 0, time.UTC)
		orders = append(orders, order{int64(5000 + i), customer, at, []string{"x"}})
		for k := range 2 {
			product := fmt.Sprintf("p%d", (i*7+k*3)%97)
			fmt.Fprintf(&lines, "%d;%s\n", 5000+i, product)
			fmt.Fprintf(&favourites, "%s\t%s\n", customer, product)
			fmt.Fprintf(&views, "%s,%s,%s\n", customer, product, at.Format(time.DateOnly))
		}
	}
	var b bytes.Buffer
	check.OK(t, parquet.Write(&b, orders))
	return [][2]string{
		{"customers.csv", customers.String()},
		{"orders.parquet", b.String()},
		{"lines.csv", lines.String()},
		{"favourites.tsv", favourites.String()},
		{"views.csv", views.String()},
	}
}

func infer(t *testing.T, dir, center, target string) *tableinit.Draft {
	t.Helper()
	d, err := tableinit.Infer(t.Context(), dir, tableinit.Options{Center: center, Target: target})
	check.OK(t, err)
	m, err := mln.Parse("task.mln", d.Task, mln.Options{})
	check.OK(t, err)
	if _, err := recipe.Parse("task.recipe", d.Recipe, &m.Schema); err != nil {
		t.Errorf("%v\nin\n%s", err, d.Recipe)
	}
	return d
}

// TestInfer_Unprintable drafts from columns and texts whose names turn the direction of writing round or command a terminal: what it writes and
// suggests is printable and means them.
func TestInfer_Unprintable(t *testing.T) {
	t.Parallel()
	const turned, red = "\u202etotal\u2066", "\x1b total"
	var customers, buys strings.Builder
	fmt.Fprintf(&customers, "customer,%s,%s,kind\u200f\n", turned, red)
	buys.WriteString("customer,product\n")
	for i := range 120 {
		fmt.Fprintf(&customers, "c%d,%d,%d,%s\n", i, (i*7)%23, (i*5)%19, map[bool]string{true: turned, false: "a\u2028b"}[i%2 == 0])
		for k := range 4 {
			fmt.Fprintf(&buys, "c%d,p%d\n", i, (i*3+k*k)%17)
		}
	}
	dir := folder(t, false, [2]string{"customers.csv", customers.String()}, [2]string{"buys.csv", buys.String()})
	d := infer(t, dir, "buys.customer", "buys(customer, product)")
	for _, text := range []string{string(d.Recipe), string(d.Task)} {
		check.Is(t, text, printable.Escape(text), "written")
	}
	check.Contains(t, string(d.Recipe), `\u202etotal\u2066`, "recipe")
	check.Contains(t, string(d.Recipe), "#4", "recipe")
	notes := strings.Join(d.Notes, "\n")
	for _, trusted := range []string{"customers.#2", "customers.#3"} {
		check.Contains(t, notes, "--trust '"+trusted+"' includes it", "notes")
	}
	again, err := tableinit.Infer(t.Context(), dir, tableinit.Options{
		Center: "buys.customer", Target: "buys(customer, product)", Trust: []string{"customers.#2", "customers.#3"},
	})
	check.OK(t, err)
	check.Contains(t, string(again.Recipe), "#2", "recipe that trusts")
}

// TestInfer_Same drafts the same bytes in every run, in whatever order the files were written.
func TestInfer_Same(t *testing.T) {
	t.Parallel()
	files := shop(t)
	want := infer(t, folder(t, false, files...), "customers.customer_id", "favourites(customer, product)")
	for i := range 8 {
		got := infer(t, folder(t, i%2 > 0, files...), "customers.customer_id", "favourites(customer, product)")
		if !bytes.Equal(got.Recipe, want.Recipe) || !bytes.Equal(got.Task, want.Task) {
			t.Errorf("got\n%s\nwant\n%s", got.Recipe, want.Recipe)
		}
	}
}

// TestInfer_Ambiguous notes dates that may begin with the month or the day, and no others.
func TestInfer_Ambiguous(t *testing.T) {
	t.Parallel()
	var buys strings.Builder
	buys.WriteString("customer,product,day,dot,plain\n")
	for i := range 60 {
		fmt.Fprintf(&buys, "c%d,p%d,%d/%d/2020,%d.%d.2020,%d/20/2020\n", i%12, i%7, 1+i%12, 1+i%9, 1+i%9, 1+i%12, 1+i%12)
	}
	d := infer(t, folder(t, false, [2]string{"buys.csv", buys.String()}), "buys.customer", "buys(customer, product)")
	var notes []string
	for _, n := range d.Notes {
		if strings.Contains(n, "the month or the day") {
			notes = append(notes, n)
		}
	}
	check.Slices(t, notes, []string{"buys.day: dates as 1/1/2020, of which nothing tells whether the month or the day is first; the recipe reads them as mdy: change that if it is wrong"}, "notes")
}

// TestInfer has parts of recipes that are drafted for one folder.
func TestInfer(t *testing.T) {
	t.Parallel()
	dir := folder(t, false, shop(t)...)
	tests := []struct{ name, center, target, want string }{
		{"keys", "orders.order_id", "lines(order_id, product_id)", "customer_id: a customer, of customers (it is called so, and all of its values are in customers.customer_id)"},
		{"nested columns", "orders.order_id", "lines(order_id, product_id)", "tags: left out (is of type LIST, which is not read)"},
		{"the time of what rows refer to", "orders.order_id", "lines(order_id, product_id)", "when(c, min(t)) :- lines_rows(_, c, x), orders_rows(c, _, t)\n"},
		{"the order of time", "orders.order_id", "lines(order_id, product_id)", "center c by t :- when(c, t)\n"},
		{"rows of before", "orders.order_id", "lines(order_id, product_id)", "ranked_lines_product_id(x, k, rank(t1 by k)) :- member(x), lines_rows(k, p0, x), orders_rows(p0, _, t1), cutoff(t0), t1 < t0, t1 <= @asof, !hidden_lines(k)\n"},
		{"the last row of a center that lives on", "customers.customer_id", "views(customer_id, product_id)", "when(c, max(t)) :- views_rows(_, c, x, t)\n"},
		{"things that come to be with their rows", "customers.customer_id", "orders(customer_id, order_id)", "of_orders(k) :- member(k), orders_rows(k, _, _)\n"},
		{"no time", "customers.customer_id", "favourites(customer, product)", "center c :- favourites_rows(c, x)\n"},
		{"hidden rows", "customers.customer_id", "favourites(customer, product)", "favourites(x, y) :- member(y), favourites_rows(x, y), x != @center, !other(x, y)\n"},
		{"rows that refer to rows", "customers.city", "customers(customer_id, city)", "lines_product_id(k, y) :- of_orders(k), lines_rows(k, y)\n"},
		{"through rows of another table", "customers.city", "customers(customer_id, city)", "lines_customer_id_product_id(x, y) :- member(x), orders_rows(k, x, _), lines_rows(k, y)\n"},
		{"things of one sort without a key", "customers.city", "customers(customer_id, city)", "product_id: a product (called like product of favourites"},
		{"the other way round", "lines.product_id", "favourites(customer, product)", "favourites_target(x) :- favourites_rows(x, @center)\n"},
	}
	for _, tt := range tests {
		if d := infer(t, dir, tt.center, tt.target); !strings.Contains(string(d.Recipe), tt.want) {
			t.Errorf("%s: got\n%s\nwant %s", tt.name, d.Recipe, tt.want)
		}
	}
}

// TestInfer_Matched has few to draw from: the true ones and others are matched by how many rows they have, many by steps.
func TestInfer_Matched(t *testing.T) {
	t.Parallel()
	var likes strings.Builder
	likes.WriteString("user,song\n")
	for user := range 800 {
		for song := range user % 60 {
			fmt.Fprintf(&likes, "u%d,s%d\n", user, song)
		}
	}
	d := infer(t, folder(t, false, [2]string{"likes.csv", likes.String()}), "likes.song", "likes(user, song)")
	for _, want := range []string{
		"rows_of_others(x, count(y)) :- likes_rows(x, y), y != @center\noften(x, n) :- rows_of_others(x, n), n < 8\noften(x, 8) :- rows_of_others(x, n), n >= 8, n < 10\n",
		"often(x, 51) :- rows_of_others(x, n), n >= 51, n < 63\ndid(x, n) :- likes_rows(x, @center), often(x, n)\nother(x, n) :- often(x, n), !did(x, n)\n" +
			"sample other 1 per did stratified seed 1\ndrawn(x, n) :- did(x, n)\nsample drawn 1 per other stratified seed 1\n" +
			"likes_target(x) :- likes_rows(x, @center), drawn(x, _)\n",
		"likes(x, y) :- member(x), likes_rows(x, y), y != @center\n",
	} {
		check.Contains(t, string(d.Recipe), want, "recipe")
	}
}

// TestInfer_Repeats has a table without times that states the target again, and is not to tell of the center.
func TestInfer_Repeats(t *testing.T) {
	t.Parallel()
	files := shop(t)
	files = append(files, [2]string{"copy.tsv", files[3][1]})
	d := infer(t, folder(t, false, files...), "customers.customer_id", "favourites(customer, product)")
	if !strings.Contains(string(d.Recipe), "copy(x, y) :- member(y), copy_rows(x, y), x != @center, !other(x, y)\n") || !strings.Contains(strings.Join(d.Notes, " "), "copy repeats all of the target's pairs") {
		t.Errorf("got %v and\n%s", d.Notes, d.Recipe)
	}
}

func TestInfer_Canceled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := tableinit.Infer(ctx, folder(t, false, shop(t)...), tableinit.Options{Center: "customers.customer_id", Target: "favourites(customer, product)"})
	check.ErrorIs(t, err, context.Canceled, "error")
}

func ExampleInfer() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return
	}
	defer os.RemoveAll(dir)
	const buys = "customer,product,bought_on\nAnn,tea,2020-01-05\nBo,tea,2020-02-01\nBo,jam,2020-02-01\nAnn,jam,2020-03-09\n"
	if os.WriteFile(filepath.Join(dir, "buys.csv"), []byte(buys), 0o600) != nil {
		return
	}
	d, err := tableinit.Infer(context.Background(), dir, tableinit.Options{Center: "buys.customer", Target: "buys(customer, product)"})
	if err != nil {
		return
	}
	fmt.Printf("%s", d.Task)
	// Output:
	// // Drafted by resolwe init for the center buys.customer and the target buys(customer, product).
	// // Candidates for formulas come out of these declarations: resolwe select --discover, or crossval --discover.
	// number latest, days
	// target listed buys_target(product)
	// buys_latest_customer(buy, latest)
	// buys_latest_product(buy, latest)
	// buys_customer(buy, customer)
	// buys_product(buy, product)
	// buys_days(buy, days)
	// buys_product_customer(product, customer)
	// // How these read, in texts for people; correct what stands behind the colons.
	// //= type product: product, products
	// //= type customer: customer, customers
	// //= buys_target: is among buys | is not among buys  // CHECK
	// //= buys_latest_customer: rank
	// //= buys_latest_product: rank
	// //= buys_customer: its customer; one
	// //= buys_product: its product; one
	// //= buys_days: age
	// //= buys_product_customer: {1} has a buy with {2} | {2} has a buy with {1}  // CHECK
}

// A table that changes between its first reading and the last of any gives an error that names it.
func TestInfer_TableChanges(t *testing.T) {
	t.Parallel()
	files := shop(t)
	last := files[0][0]
	for _, f := range files {
		last = max(last, f[0])
	}
	for _, f := range files {
		for change, do := range map[string]func(path string) error{
			"write": func(path string) error { return os.WriteFile(path, []byte(f[1]), 0o600) },
			"replace": func(path string) error {
				return errors.Join(os.WriteFile(path+".new", []byte(f[1]), 0o600), os.Rename(path+".new", path))
			},
			"remove": os.Remove,
		} {
			for _, during := range []string{f[0], last} {
				t.Run(f[0]+" "+change+" as "+during+" is read", func(t *testing.T) {
					t.Parallel()
					dir := folder(t, false, files...)
					path, past := filepath.Join(dir, f[0]), time.Now().Add(-time.Hour)
					check.OK(t, os.Chtimes(path, past, past)) // clocks of file systems are coarse
					changed := false
					_, err := tableinit.Infer(t.Context(), dir, tableinit.Options{
						Center: "orders.customer_id", Target: "orders(customer_id, order_id)",
						Read: func(file string) func(int64) {
							return func(int64) {
								if file == during && !changed {
									changed = true
									check.OK(t, do(path))
								}
							}
						},
					})
					e, ok := errors.AsType[*tablefile.DamageError](err)
					if !ok || e.Pos.File != path || !errors.Is(err, tablefile.ErrChanged) || !errors.Is(err, subgraph.ErrCorrupt) {
						t.Errorf("got %v, want that %s changed", err, path)
					}
				})
			}
		}
	}
}

// FuzzInfer drafts for any two tables: what comes out is a task and a recipe that parse.
func FuzzInfer(f *testing.F) {
	f.Add("who,what,day\na,x,2020-01-01\nb,y,2020-01-02\na,y,2020-01-03\n", "what,kind,price\nx,1,2.5\ny,2,\n", "buys.who", "buys(who, what)")
	f.Add("who\twhat\na\tx\n", "who;age\na;1\n", "t.who", "buys(what, who)")
	f.Add("who,yes\na,1\nb,0\n", "", "buys.who", "buys(who, yes)")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, buys, others, center, target string) {
		check.OK(t, os.WriteFile(filepath.Join(dir, "buys.csv"), []byte(buys), 0o600))
		check.OK(t, os.WriteFile(filepath.Join(dir, "others.csv"), []byte(others), 0o600))
		d, err := tableinit.Infer(t.Context(), dir, tableinit.Options{Center: center, Target: target})
		if err != nil {
			return
		}
		task, err := mln.Parse("task.mln", d.Task, mln.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, d.Task)
		}
		if _, err := recipe.Parse("task.recipe", d.Recipe, &task.Schema); err != nil {
			t.Fatalf("%v\n%s", err, d.Recipe)
		}
	})
}
