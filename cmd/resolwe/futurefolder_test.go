package main_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// future is a folder of a random schema whose labels nothing predicts that is known in time: things, checks of these, which say yes or no,
// and readings. What its cells hold is drawn for the hour at which it becomes known.
type future struct {
	kind      string // where the future is planted: one of futures
	seed      uint64
	salt      uint64 // changes what becomes known
	from      int    // in this hour and later
	told      bool   // the plant is known in time, for control
	schema    *rand.Rand
	keyed     bool // checks have a key
	ofKeys    bool // and these are the things that labels describe
	clock     bool // times have hours
	details   bool // levels stand in rows without a time that refer to readings
	apart     bool // and so do the things
	crowded   bool // labels of the kind are more than are stated one by one
	horizon   string
	second    [2]string // names of the times of readings
	things    int
	planted   string // column of things
	heads     map[string][]string
	rows      map[string][][]any
	ofCheck   []int // things, by check
	checkedAt []int // hours
}

// futures are the kinds of future: the label itself, as an earlier one looks ahead; a column of things; later rows; rows that are written later
// than they are dated.
var futures = []string{"label", "column", "row", "second time"}

const (
	dayHours   = 24
	aheadHours = 90 * dayHours // of the kind of label
)

// newFuture draws a schema.
func newFuture(seed uint64, kind string, crowded bool) *future {
	r := rand.New(rand.NewPCG(seed, 1))
	some := func() bool { return r.IntN(2) == 0 }
	f := &future{
		kind: kind, seed: seed, from: math.MaxInt, schema: r, keyed: some() && !crowded, clock: some() && !crowded, details: some(), crowded: crowded,
		heads: map[string][]string{}, rows: map[string][][]any{}, things: 120,
	}
	f.ofKeys = f.keyed && some()
	f.apart = f.details && rand.New(rand.NewPCG(seed, 2)).IntN(2) == 0
	f.second = [][2]string{
		{"event_timestamp", "created_timestamp"},
		{"measured_at", "ingested_at"},
		{"event_date", "load_date"},
		{"sampled_on", "resulted_on"},
		{"happened", "known"},
		{"charted", "stored"},
		{"trade_date", "posting_date"},
		{"valid_from", "entered_on"},
	}[r.IntN(8)]
	f.planted = []string{"status", "current_tier", "closed_on", "total_spent", "last_seen"}[r.IntN(5)]
	if f.horizon = []string{"", "0d", "30d"}[r.IntN(3)]; kind == "label" {
		f.horizon = []string{"", "90d"}[r.IntN(2)]
	}
	if kind == "column" {
		f.things = 600
	}
	return f
}

// rng draws what becomes known in an hour.
func (f *future) rng(known int, keys ...int) *rand.Rand {
	seed := f.seed
	if known >= f.from {
		seed += f.salt
	}
	h := uint64(1469598103934665603)
	for _, k := range keys {
		h = (h ^ uint64(k)) * 1099511628211
	}
	return rand.New(rand.NewPCG(seed, h))
}

// says returns a label of a thing, of several kinds, that is known when the day has ended, or for the kind of label 90 days later: then it says
// whether something happens in these, at any time.
func (f *future) says(which, thing, day int) bool {
	if f.kind != "label" {
		return f.rng((day+1)*dayHours, 2, which, thing, day).IntN(2) == 0
	}
	for ahead := range aheadHours / dayHours {
		if f.rng((day+ahead+1)*dayHours, 3, which, thing, day+ahead).IntN(130) == 0 {
			return true
		}
	}
	return false
}

// text formats an hour, or its day.
func (f *future) text(hour int) string {
	at := time.Date(2020, 1, 1, hour, 0, 0, 0, time.UTC)
	if f.clock {
		return at.Format(time.DateTime)
	}
	return at.Format(time.DateOnly)
}

// table writes rows whose columns are in a random order.
func (f *future) table(name, head string, rows [][]any) {
	heads := strings.Fields(head)
	order := f.schema.Perm(len(heads))
	for _, row := range slices.Concat([][]any{nil}, rows) {
		out := make([]any, len(order))
		for i, k := range order {
			if row == nil {
				f.heads[name] = append(f.heads[name], heads[k])
			} else {
				out[i] = row[k]
			}
		}
		if row != nil {
			f.rows[name] = append(f.rows[name], out)
		}
	}
}

// fill draws the rows.
func (f *future) fill() {
	f.fillChecks()
	f.fillReadings()
	head, rows := "thing_id site size", [][]any{}
	for i := range f.things {
		rows = append(rows, []any{name("T", i), f.pick("north", "south", "west"), f.schema.IntN(50)})
	}
	if f.kind == "column" {
		head += " " + f.planted
		for check, thing := range f.ofCheck {
			yes, r := f.says(0, thing, f.checkedAt[check]/dayHours), f.rng(math.MaxInt-1, 4, thing)
			if r.IntN(10) == 0 {
				yes = !yes
			}
			var cell any = map[bool]string{true: "gold", false: "tin"}[yes]
			switch f.planted {
			case "closed_on", "last_seen":
				day := 600 + r.IntN(30)
				if f.told {
					day -= 590
				}
				if cell = f.text(day * dayHours); !yes {
					cell = ""
				}
			case "total_spent":
				cell = r.IntN(50) + map[bool]int{true: 60, false: 0}[yes]
			}
			rows[thing] = append(rows[thing], cell)
		}
	}
	f.table("things", head, rows)
}

func (f *future) pick(of ...string) string { return of[f.schema.IntN(len(of))] }

// fillChecks draws the checks: one of each thing where a column of things is planted, else several.
func (f *future) fillChecks() {
	rounds, every := 6, 60
	switch {
	case f.crowded:
		f.things, rounds, every = 170, 130, 10
	case f.kind == "label":
		rounds, every = 24, 30
	case f.kind == "column":
		rounds = 1
	}
	head, rows := "thing_id checked_on fails", [][]any{}
	for round := range rounds {
		for thing := range f.things {
			hour := (100+round*every)*dayHours + 10
			if !f.crowded {
				hour += f.schema.IntN(every-1)/2*dayHours + f.schema.IntN(12)
			}
			if rounds == 1 {
				hour += f.schema.IntN(100) * dayHours
			}
			f.ofCheck, f.checkedAt = append(f.ofCheck, thing), append(f.checkedAt, hour)
			rows = append(rows, []any{name("T", thing), f.text(hour), yesNo(f.says(0, thing, hour/dayHours))})
		}
	}
	if f.keyed {
		head += " check_id"
		for i := range rows {
			rows[i] = append(rows[i], name("K", i))
		}
	}
	if f.kind == "label" {
		if head += " revenue_next_90_days"; !f.ofKeys { // what is created with its row is described by others
			head += " upgraded x7"
		}
		for i, thing := range f.ofCheck {
			day := f.checkedAt[i] / dayHours
			r := f.rng(day*dayHours+aheadHours, 5, i)
			if rows[i] = append(rows[i], r.IntN(50)); !f.ofKeys {
				rows[i] = append(rows[i], yesNo(f.says(1, thing, day)), r.IntN(100)+map[bool]int{true: 60, false: 0}[f.says(0, thing, day)])
			}
		}
	}
	f.table("checks", head, rows)
}

// fillReadings draws the readings: of each thing some, known at once, and of each check four that follow its label. Of those that come later the
// label says which thing they are of, of those that are written later the level.
func (f *future) fillReadings() {
	type reading struct{ thing, happened, written, level int }
	var readings []reading
	for i := range f.things * 8 {
		written := f.schema.IntN(700 * dayHours)
		r := f.rng(written, 6, i)
		readings = append(readings, reading{r.IntN(f.things), written - r.IntN(2), written, r.IntN(100)})
	}
	for i, thing := range f.ofCheck {
		hour := f.checkedAt[i]
		for k := range map[string]int{"row": 4, "second time": 1}[f.kind] {
			written := hour + (1+f.schema.IntN(20))*dayHours
			if f.told {
				written = hour - 3*dayHours
			}
			r := f.rng(written, 7, i, k)
			yes := f.says(0, thing, hour/dayHours)
			x := reading{thing, written, written, r.IntN(100)}
			switch {
			case f.kind == "second time":
				if x.happened = hour - (1+r.IntN(3))*dayHours; f.told {
					x.happened = written - r.IntN(2)
				}
				x.level = r.IntN(10) + map[bool]int{true: 80, false: 10}[yes]
			case !yes:
				x.thing = r.IntN(f.things)
			}
			readings = append(readings, x)
		}
	}
	head, details := "thing_id "+f.second[0], [][]any{}
	rows := make([][]any, len(readings))
	for i, x := range readings {
		rows[i] = []any{name("T", x.thing), f.text(x.happened)}
		if f.kind == "second time" {
			rows[i] = append(rows[i], f.text(x.written))
		}
		if !f.details {
			rows[i] = append(rows[i], x.level)
			continue
		}
		for k := range 2 {
			details = append(details, []any{name("R", i), x.level + k, name("T", x.thing)}[:map[bool]int{true: 3, false: 2}[f.apart]])
		}
		if rows[i] = append(rows[i], name("R", i)); f.apart {
			rows[i] = rows[i][1:]
		}
	}
	if f.kind == "second time" {
		head += " " + f.second[1]
	}
	switch {
	case f.apart:
		f.table("readings", strings.TrimPrefix(head, "thing_id ")+" reading_id", rows)
		f.table("details", "reading_id level thing_id", details)
	case f.details:
		f.table("readings", head+" reading_id", rows)
		f.table("details", "reading_id level", details)
	default:
		f.table("readings", head+" level", rows)
	}
}

// write draws the rows and writes them.
func (f *future) write(t *testing.T) (dir string) {
	t.Helper()
	f.fill()
	dir = t.TempDir()
	for _, name := range slices.Sorted(maps.Keys(f.heads)) {
		writeTable(t, dir, name+".tsv", strings.Join(f.heads[name], "\t"), f.rows[name])
	}
	return dir
}
