package main_test

import (
	"encoding/csv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"resolwe/bench/csvtables"
	"resolwe/bench/shop"
	"resolwe/internal/test/check"
)

// shopOracle is the rows of the shop's tables, a column by its name.
type shopOracle map[string][]map[string]string

func shopTables(t *testing.T, rng *rand.Rand, dir string) recipeOracle {
	t.Helper()
	_, err := shop.Generate(t.Context(), dir, csvtables.Options{Scale: 1e-6, Seed: rng.Uint64()})
	check.OK(t, err)
	files, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	check.OK(t, err)
	o := shopOracle{}
	for _, path := range files {
		f, err := os.Open(path)
		check.OK(t, err)
		rows, err := csv.NewReader(f).ReadAll()
		check.OK(t, err)
		check.OK(t, f.Close())
		for _, cells := range rows[1:] {
			row := map[string]string{}
			for i, c := range cells {
				row[rows[0][i]] = c
			}
			o[filepath.Base(path)] = append(o[filepath.Base(path)], row)
		}
	}
	return o
}

func (o shopOracle) centers() (out []string) {
	for _, m := range o["mailings.csv"] {
		out = append(out, m["mailing_id"])
	}
	return out
}

func (o shopOracle) fold(string) int { return -1 }

func (o shopOracle) facts(t *testing.T, center string, cut factSet) factSet {
	t.Helper()
	var sent time.Time
	for _, m := range o["mailings.csv"] {
		if m["mailing_id"] == center {
			sent = dayOf(t, m["mailed_on"])
		}
	}
	ago := func(cell string) int { return int(sent.Sub(dayOf(t, cell)) / (24 * time.Hour)) } // days, 1 and more before
	facts, kind := factSet{}, map[string]string{}
	for _, p := range o["products.csv"] {
		kind[p["product_id"]] = p["category"]
	}
	lines := relation{}
	for _, l := range o["order_lines.csv"] {
		lines.add(l["order_id"], l["product_id"])
	}
	lastOrder, lastVisit := map[string]int{}, map[string]int{} // days ago
	note := func(last map[string]int, c string, days int) {
		if known, ok := last[c]; !ok || days < known {
			last[c] = days
		}
	}
	for _, r := range o["orders.csv"] {
		c, days := r["customer_id"], ago(r["ordered_on"])
		if days <= 0 {
			continue
		}
		note(lastOrder, c, days)
		facts.add("ordersBy", c, r["channel"])
		if r["discount_code"] != "" {
			facts.add("usedCode", c, r["discount_code"])
		}
		for p := range lines[r["order_id"]] {
			facts.add("bought", c, p)
			facts.add("category", p, kind[p])
			if days <= 30 {
				facts.add("boughtLately", c, p)
			}
		}
	}
	for _, r := range o["visits.csv"] {
		c, days := r["customer_id"], ago(r["visited_at"][:len(time.DateOnly)])
		if c == "" || days <= 0 {
			continue
		}
		note(lastVisit, c, days)
		if r["product_id"] != "" && days <= 30 {
			facts.add("looked", c, r["product_id"])
		}
	}
	for _, r := range o["returns.csv"] {
		if ago(r["returned_on"]) > 0 {
			facts.add("returned", r["customer_id"], r["return_id"])
		}
	}
	again, often := set{}, map[string]int{}
	for _, r := range o["responses.csv"] {
		if r["mailing_id"] == center {
			again[r["customer_id"]] = true
		} else {
			often[r["customer_id"]]++
		}
	}
	truths, falsehoods, member := strata{}, strata{}, set{}
	for c, n := range often {
		switch {
		case lastOrder[c] == 0:
		case again[c]:
			truths.add(n, c)
		default:
			falsehoods.add(n, c)
		}
	}
	facts.addMatched(t, cut, "buysAgain", truths, falsehoods, member)
	for _, r := range o["customers.csv"] {
		c := r["customer_id"]
		if !member[c] {
			continue
		}
		facts.add("lives", c, r["city"])
		if r["birth_year"] != "" {
			facts.add("born", c, r["birth_year"])
		}
		if r["newsletter"] == "Y" {
			facts.add("newsletter", c)
		}
	}
	for c, days := range lastOrder {
		facts.add("lastOrder", c, strconv.Itoa(days))
	}
	for c, days := range lastVisit {
		facts.add("lastVisit", c, strconv.Itoa(days))
	}
	facts.add("mailed", strconv.Itoa(int(sent.Unix()/(24*60*60))))
	return facts
}

// dayOf reads a day.
func dayOf(t *testing.T, s string) time.Time {
	t.Helper()
	d, err := time.Parse(time.DateOnly, s)
	check.OK(t, err)
	return d
}
