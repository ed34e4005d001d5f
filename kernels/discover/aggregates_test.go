package discover_test

import (
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/kernels/discover"
)

const shopping = `number price, days, latest, age, balance
visits_user(visit, user)
visits_item(visit, item)
visits_paid(visit, price)
visits_days(visit, days)
visits_latest_user(visit, latest)
visits_kind(visit, kind)
visits_new(visit)
visits_balance(visit, balance)
user_age(user, age)
item_price(item, price)
user_last_shop(user, shop)
visits_shop(visit, shop)
parts_visit(part, visit)
parts_price(part, price)
parts_days(part, days)
target listed likes(user, item)
`

const shoppingDB = `visits_user(V1, U1)
visits_user(V2, U1)
visits_user(V3, U2)
visits_item(V1, I1)
visits_item(V2, I1)
visits_kind(V1, Web)
visits_shop(V1, S1)
visits_shop(V2, S1)
user_last_shop(U1, S1)
parts_visit(P1, V1)
parts_visit(P2, V1)
likes(U1, I1)
`

// Aggregates over the rows of paths, in windows of these rows; every text parses to the same formula.
func TestGrower_Aggregates(t *testing.T) {
	t.Parallel()
	task := jointest.Load(t, shopping, shoppingDB)
	schema := &task.Model.Schema
	o := discover.NewObserver(schema)
	o.Add(task.Subs[0])
	found := map[string]discover.Aggregate{}
	for _, a := range discover.NewGrower(schema, o, discover.Options{Length: 3, Support: 1, Max: 100}).Aggregates() {
		text := mln.FormatFormula(a.Formula)
		again := jointest.Load(t, shopping+text+"\n", shoppingDB).Model.Formulas[0]
		check.Equal(t, "read again", mln.Canonical(again), mln.Canonical(a.Formula))
		key := mln.Canonical(a.Formula)
		if _, twice := found[key]; twice {
			t.Errorf("%s: twice", text)
		}
		found[key] = a
	}
	has := func(body string) (discover.Aggregate, bool) {
		f := jointest.Load(t, shopping+body+" => likes(u, i)\n", shoppingDB).Model.Formulas[0]
		a, ok := found[mln.Canonical(f)]
		return a, ok
	}
	for _, body := range []string{
		"avg{n, v: visits_user(v, u) ^ visits_paid(v, n)} >= 0",
		"min{n, v: visits_user(v, u) ^ visits_paid(v, n) ^ visits_latest_user(v, k) ^ k <= 1} >= 0",
		"max{n, v: visits_user(v, u) ^ visits_paid(v, n) ^ visits_days(v, d) ^ d <= 1095} >= 0",
		"sum{n, v: visits_item(v, i) ^ visits_paid(v, n) ^ visits_days(v, d) ^ d <= 30} >= 0",
		"min{d, v: visits_user(v, u) ^ visits_days(v, d)} >= 0",
		"avg{n, v: visits_user(v, u) ^ visits_item(v, i) ^ visits_paid(v, n) ^ visits_latest_user(v, k) ^ k <= 3} >= 0",
		"avg{n, v: user_last_shop(u, s) ^ visits_shop(v, s) ^ visits_paid(v, n) ^ visits_days(v, d) ^ d <= 365} >= 0",
		"avg{n, v, j: visits_user(v, u) ^ visits_item(v, j) ^ item_price(j, n) ^ visits_latest_user(v, k) ^ k <= 10} >= 0",
		"avg{n, p: visits_user(v, u) ^ parts_visit(p, v) ^ parts_price(p, n) ^ parts_days(p, d) ^ d <= 90} >= 0",
		"visits_user(v, u) ^ visits_days(v, d) ^ d <= 30",
		"visits_user(v, u) ^ visits_kind(v, Web) ^ visits_latest_user(v, k) ^ k <= 5",
		"visits_user(v, u) ^ visits_kind(v, Web)",
		"visits_user(v, u) ^ visits_new(v) ^ visits_days(v, d) ^ d <= 90",
		"share{v: visits_kind(v, Web) | visits_user(v, u)} >= 0",
		"share{v: visits_new(v) | visits_user(v, u) ^ visits_latest_user(v, k) ^ k <= 10} >= 0",
		"share{v: visits_new(v) | user_last_shop(u, s) ^ visits_shop(v, s) ^ visits_days(v, d) ^ d <= 365} >= 0",
		"min{d, v: visits_user(v, u) ^ visits_kind(v, Web) ^ visits_days(v, d)} >= 0",
		"min{d, v: visits_item(v, i) ^ visits_new(v) ^ visits_days(v, d)} >= 0",
		"min{d, v: user_last_shop(u, s) ^ visits_shop(v, s) ^ visits_kind(v, Web) ^ visits_days(v, d)} >= 0",
		"avg{n, v: visits_user(v, u) ^ visits_balance(v, n) ^ visits_latest_user(v, k) ^ k <= 1} >= 0",
		"trend{n, t, v: visits_user(v, u) ^ visits_balance(v, n) ^ visits_days(v, t)} >= 0",
		"trend{n, t, v: visits_user(v, u) ^ visits_paid(v, n) ^ visits_days(v, t) ^ visits_latest_user(v, k) ^ k <= 5} >= 0",
	} {
		if _, ok := has(body); !ok {
			t.Errorf("%s: not found", body)
		}
	}
	for _, body := range []string{
		"avg{k, v: visits_user(v, u) ^ visits_latest_user(v, k)} >= 0",                              // a rank is not a quantity
		"avg{n, v: visits_item(v, i) ^ visits_paid(v, n) ^ visits_latest_user(v, k) ^ k <= 3} >= 0", // by user, not by item
		"avg{d, v: visits_user(v, u) ^ visits_days(v, d) ^ visits_latest_user(v, k) ^ k <= 3} >= 0",
		"avg{n, w: visits_user(v, u) ^ visits_item(v, j) ^ visits_item(w, j) ^ visits_paid(w, n)} >= 0", // of several items
		"visits_user(v, u)", // already a pattern
		"sum{n, v: visits_user(v, u) ^ visits_balance(v, n)} >= 0", // a level
		"trend{t, t2, v: visits_user(v, u) ^ visits_days(v, t) ^ visits_days(v, t2)} >= 0",
		"trend{n, t, v, j: visits_user(v, u) ^ visits_item(v, j) ^ user_age(u, n) ^ visits_days(v, t)} >= 0",
	} {
		if a, ok := has(body); ok {
			t.Errorf("%s: found", mln.FormatFormula(a.Formula))
		}
	}
	one, _ := has("avg{n, v: visits_user(v, u) ^ visits_paid(v, n)} >= 0")
	other, _ := has("max{n, v: visits_user(v, u) ^ visits_paid(v, n) ^ visits_days(v, d) ^ d <= 30} >= 0")
	third, _ := has("max{n, v: visits_item(v, i) ^ visits_paid(v, n) ^ visits_days(v, d) ^ d <= 30} >= 0")
	if one.Group != other.Group || one.Group == third.Group {
		t.Errorf("got groups %d, %d, %d, want the first two equal", one.Group, other.Group, third.Group)
	}
}

// Numbers of single entities belong to patterns, and are never joined; those of rows are left to aggregates.
func TestGrower_Numbers(t *testing.T) {
	t.Parallel()
	task := jointest.Load(t, shopping+"cost(item, price)\nfee(user, price)\n", shoppingDB+"user_age(U1, 30)\nitem_price(I1, 2)\ncost(I1, 2)\nfee(U1, 2)\nvisits_paid(V1, 2)\n")
	schema := &task.Model.Schema
	o := discover.NewObserver(schema)
	o.Add(task.Subs[0])
	g := discover.NewGrower(schema, o, discover.Options{Length: 3, Support: 1, Max: 1000})
	for patterns := g.Next(); len(patterns) > 0; patterns = g.Next() {
		tally := g.NewTally(0)
		counted, err := discover.NewCounter(g.NewBatch(patterns)).Count(task.Subs[0])
		check.OK(t, err)
		tally.Append(counted)
		g.Take(patterns, tally)
	}
	found := map[string]bool{}
	for _, c := range g.Candidates() {
		found[mln.Canonical(c.Formula)] = true
	}
	for body, want := range map[string]bool{
		"item_price(i, n)":                            true,
		"cost(i, n)":                                  true, // the same counts as the one above
		"user_age(u, n)":                              true,
		"item_price(i, n) ^ cost(i, n)":               false,
		"item_price(i, n) ^ fee(u, n)":                false,
		"visits_user(v, u) ^ visits_paid(v, n)":       false,
		"visits_user(v, u) ^ parts_price(p, n)":       false,
		"visits_user(v, u) ^ visits_days(v, n)":       false,
		"visits_latest_user(v, n) ^ visits_user(v,u)": false,
	} {
		f := jointest.Load(t, shopping+"cost(item, price)\nfee(user, price)\n"+body+" => likes(u, i)\n", shoppingDB).Model.Formulas[0]
		if got := found[mln.Canonical(f)]; got != want {
			t.Errorf("%s: found %v, want %v", body, got, want)
		}
	}
}
