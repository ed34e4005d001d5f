package main_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
)

// f1Oracle is the tables of examples/f1, days as numbers: those of labels lie between races, a driver has one result in a race.
type f1Oracle struct {
	days    []int             // of races
	results []f1Result        // of all races
	labels  map[[2]int]int    // by day and driver
	born    []int             // days of drivers
	stands  map[[3]int][2]int // points and place by race, 0 for drivers or 1 for teams, and which
}

type f1Result struct{ race, driver, team, grid, place, points, classified int }

func f1Tables(t *testing.T, rng *rand.Rand, dir string) recipeOracle {
	t.Helper()
	const drivers, teams = 7, 3
	o := &f1Oracle{labels: map[[2]int]int{}, stands: map[[3]int][2]int{}}
	files := map[string]*strings.Builder{}
	row := func(file, header string, cells ...any) {
		if files[file] == nil {
			files[file] = &strings.Builder{}
			files[file].WriteString(header + "\n")
		}
		for i, c := range cells {
			fmt.Fprint(files[file], c, map[bool]string{true: ",", false: "\n"}[i+1 < len(cells)])
		}
	}
	for x := range drivers {
		o.born = append(o.born, -6000-rng.IntN(4000))
		row("drivers.csv", "driverId,dob", x, f1Day(o.born[x], "1/2/2006"))
	}
	day := 0
	for race := range 40 {
		day += 2 + rng.IntN(40)
		o.days = append(o.days, day)
		row("races.csv", "raceId,year,date", race, 2000, f1Day(day, "1/2/2006"))
		for place, x := range pick(rng, 1+rng.IntN(drivers), drivers) {
			r := f1Result{race, x, rng.IntN(teams), 1 + rng.IntN(20), place + 1, rng.IntN(9), rng.IntN(2)}
			position := ""
			if r.classified == 1 {
				position = strconv.Itoa(r.place)
			}
			o.results = append(o.results, r)
			row("results.csv", "resultId,raceId,driverId,constructorId,grid,positionOrder,points,laps,position",
				len(o.results), race, x, r.team, r.grid, r.place, r.points, 50, position)
		}
		for k, file := range []string{"driver", "constructor"} {
			for _, x := range pick(rng, rng.IntN(teams+1), teams) {
				s := [2]int{rng.IntN(50), 1 + rng.IntN(20)}
				o.stands[[3]int{race, k, x}] = s
				row(file+"_standings.csv", "raceId,"+file+"Id,points,position", race, x, s[0], s[1])
			}
		}
		for _, x := range pick(rng, rng.IntN(drivers), drivers) {
			o.labels[[2]int{day + 1, x}] = rng.IntN(2)
			row("dnf.csv", "driverId,date,label", x, f1Day(day+1, "2006-01-02"), o.labels[[2]int{day + 1, x}])
		}
	}
	for name, text := range files {
		check.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text.String()), 0o600))
	}
	return o
}

// dayZero is the day from which days are counted.
var dayZero = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// f1Day prints a day.
func f1Day(n int, layout string) string { return dayZero.AddDate(0, 0, n).Format(layout) }

func (o *f1Oracle) centers() (out []string) {
	for key := range o.labels {
		if name := f1Day(key[0], "2006-01-02"); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

func (o *f1Oracle) fold(string) int { return -1 }

func (o *f1Oracle) facts(t *testing.T, center string, _ factSet) factSet {
	t.Helper()
	facts, now := factSet{}, int(dayOf(t, center).Sub(dayZero).Hours()/24)
	for key, label := range o.labels {
		if key[0] == now {
			facts.add(map[int]string{0: "!dnf", 1: "dnf"}[label], strconv.Itoa(key[1]))
			o.driver(facts, now, key[1])
		}
	}
	return facts
}

// driver adds what a recipe by hand says of a driver on a day.
func (o *f1Oracle) driver(facts factSet, now, x int) {
	add := func(name string, value float64) { facts.add(name, strconv.Itoa(x), mln.FormatNumber(value)) }
	mean := func(name string, values []int) {
		if len(values) > 0 {
			add(name, float64(sumOf(values))/float64(len(values)))
		}
	}
	total := func(name string, values []int) {
		if len(values) > 0 {
			add(name, float64(sumOf(values)))
		}
	}
	positive := func(name string, n int) {
		if n > 0 {
			add(name, float64(n))
		}
	}
	latest := func(list []int, most int) []int { return list[max(0, len(list)-most):] }

	add("age", float64(now-o.born[x]))
	var labels []int
	for day := range now - 29 {
		if label, ok := o.labels[[2]int{day, x}]; ok {
			labels = append(labels, label)
		}
	}
	mean("failing", latest(labels, 10))
	mean("failingEver", labels)

	if s, ok := o.stood(now, 0, x); ok {
		add("standingPoints", float64(s[0]))
		add("standingPlace", float64(s[1]))
	}
	ran := o.before(now, func(r *f1Result) bool { return r.driver == x })
	if len(ran) == 0 {
		return
	}
	last := ran[len(ran)-1]
	year := func(r *f1Result) bool { return o.days[r.race] >= now-365 }
	column := func(list []*f1Result, of func(*f1Result) int) (out []int) {
		for _, r := range list {
			out = append(out, of(r))
		}
		return out
	}
	grid := func(r *f1Result) int { return r.grid }
	place := func(r *f1Result) int { return r.place }
	points := func(r *f1Result) int { return r.points }
	classified := func(r *f1Result) int { return r.classified }
	mine := o.before(now, func(r *f1Result) bool { return r.driver == x && year(r) })
	last5, last10 := ran[max(0, len(ran)-5):], ran[max(0, len(ran)-10):]
	positive("races", len(ran))
	positive("racesYear", len(mine))
	positive("finishes5", sumOf(column(last5, classified)))
	positive("finishes10", sumOf(column(last10, classified)))
	positive("finishesYear", sumOf(column(mine, classified)))
	mean("grid5", column(last5, grid))
	add("gridWorst5", float64(slices.Max(column(last5, grid))))
	mean("place5", column(last5, place))
	mean("placeYear", column(mine, place))
	total("points10", column(last10, points))
	total("pointsYear", column(mine, points))
	add("idle", float64(now-o.days[last.race]))

	team := o.before(now, func(r *f1Result) bool { return r.team == last.team && year(r) })
	positive("teamFinishes", sumOf(column(team, classified)))
	positive("teamFinishes90", sumOf(column(o.before(now, func(r *f1Result) bool {
		return r.team == last.team && o.days[r.race] >= now-90
	}), classified)))
	total("teamPoints", column(team, points))
	mean("teamGrid", column(team, grid))
	if s, ok := o.stood(now, 1, last.team); ok {
		add("teamPlace", float64(s[1]))
	}
}

// before returns the results before a day that are wanted, the earliest first.
func (o *f1Oracle) before(now int, wanted func(*f1Result) bool) (out []*f1Result) {
	for i := range o.results {
		if r := &o.results[i]; o.days[r.race] < now && wanted(r) {
			out = append(out, r)
		}
	}
	return out
}

// stood returns the last standing of a driver or a team before a day.
func (o *f1Oracle) stood(now, kind, which int) (s [2]int, ok bool) {
	for race, day := range o.days {
		if v, stands := o.stands[[3]int{race, kind, which}]; stands && day < now {
			s, ok = v, true
		}
	}
	return s, ok
}

func sumOf(values []int) (sum int) {
	for _, v := range values {
		sum += v
	}
	return sum
}
