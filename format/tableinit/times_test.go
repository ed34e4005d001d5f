package tableinit_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"resolwe/format/tableinit"
	"resolwe/internal/test/check"
)

// measured is a folder of checks of machines and of readings with two times: of half the readings the second is two to nine days after the first.
func measured(t *testing.T, first, second, layout string, swapped bool) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 0))
	var checks, machines, readings strings.Builder
	checks.WriteString("check_id,machine_id,checked_at,failed\n")
	heads := []string{first, second}
	if swapped {
		slices.Reverse(heads)
	}
	fmt.Fprintf(&readings, "reading_id,machine_id,%s,level\n", strings.Join(heads, ","))
	for i := range 200 {
		machine, at := rng.IntN(20), time.Date(2021, 1, 1+i, rng.IntN(24), 0, 0, 0, time.UTC)
		fmt.Fprintf(&checks, "K%d,M%d,%s,%d\n", i, machine, at.Format(layout), rng.IntN(2))
		for k := range 2 {
			happened := at.Add(-time.Duration(1+rng.IntN(20)) * time.Hour)
			known := happened.AddDate(0, 0, k*(2+rng.IntN(8)))
			times := []string{happened.Format(layout), known.Format(layout)}
			if swapped {
				slices.Reverse(times)
			}
			fmt.Fprintf(&readings, "R%d,M%d,%s,%d\n", 2*i+k, machine, strings.Join(times, ","), rng.IntN(100))
		}
	}
	machines.WriteString("machine_id,site\n")
	for i := range 20 {
		fmt.Fprintf(&machines, "M%d,%s\n", i, []string{"north", "south"}[i%2])
	}
	return folder(t, false, [2]string{"checks.csv", checks.String()}, [2]string{"machines.csv", machines.String()}, [2]string{"readings.csv", readings.String()})
}

// A row is known from the latest of the times on that are set when it is written, whatever they are called and in whichever order their
// columns stand; its days count from the first. --time takes one.
func TestInfer_TwoTimes(t *testing.T) {
	t.Parallel()
	for _, names := range [][2]string{
		{"event_timestamp", "created_timestamp"},
		{"measured_at", "ingested_at"},
		{"event_date", "load_date"},
		{"occurred_on", "known_on"},
		{"charted", "stored"},
		{"sample_date", "result_date"},
		{"value_date", "posting_date"},
		{"valid_from", "recorded_at"},
		{"created", "updated"},
	} {
		for _, layout := range []string{time.DateTime, time.DateOnly} {
			for _, swapped := range []bool{false, true} {
				dir, earlier := measured(t, names[0], names[1], layout, swapped), "t < t0, t <= @asof"
				d := infer(t, dir, "checks.checked_at", "checks(check_id, failed)")
				second := "t_" + names[1]
				check.Contains(t, string(d.Recipe), "cutoff(t0), "+earlier, "%v", names)
				check.Contains(t, string(d.Recipe), second+" < t0, "+second+" <= @asof", "%v", names)
				check.Contains(t, strings.Join(d.Notes, "\n"), fmt.Sprintf(
					"a row of readings is known from the latest of %s and %s on, and dated by %[1]s; --time readings=%[2]s takes one of them alone", names[0], names[1]), "notes")
				opt := tableinit.Options{Center: "checks.checked_at", Target: "checks(check_id, failed)", Time: []string{"readings=" + names[1]}}
				d, err := tableinit.Infer(t.Context(), dir, opt)
				check.OK(t, err)
				check.Is(t, strings.Contains(string(d.Recipe), second), false, "%v: %s is in the recipe as a second time:\n%s", names, second, d.Recipe)
			}
		}
	}
}

// Dates that are set later, planned or of what a row is about are no times of the row; an interval's beginning is.
func TestInfer_OtherDates(t *testing.T) {
	t.Parallel()
	for name, isTime := range map[string]bool{
		"valid_from": true, "effective_from": true, "since": true, "begin_date": true, "valid_to": false, "valid_until": false, "due_date": false,
		"planned_start": false, "closed_on": false, "birth_date": false, "end_date": false,
	} {
		dir := measured(t, "happened", name, time.DateTime, false)
		recipe := string(infer(t, dir, "checks.checked_at", "checks(check_id, failed)").Recipe)
		check.Is(t, strings.Contains(recipe, "t_"+name+" < t0"), isTime, "%s is a time of the row", name)
	}
}

// A few impossible dates do not make a time another one: one in a hundred is far ahead or long ago.
func TestInfer_Outliers(t *testing.T) {
	t.Parallel()
	for _, wrong := range []string{"9999-12-31 00:00:00", "1900-01-01 00:00:00"} {
		for column := 2; column < 4; column++ {
			dir := measured(t, "happened", "known", time.DateTime, false)
			path := filepath.Join(dir, "readings.csv")
			text, err := os.ReadFile(path)
			check.OK(t, err)
			lines := strings.Split(string(text), "\n")
			for i := 50; i < 400; i += 100 {
				cells := strings.Split(lines[i], ",")
				cells[column] = wrong
				lines[i] = strings.Join(cells, ",")
			}
			check.OK(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600))
			recipe := string(infer(t, dir, "checks.checked_at", "checks(check_id, failed)").Recipe)
			check.Contains(t, recipe, "cutoff(t0), t < t0, t <= @asof, t_known < t0, t_known <= @asof", "%s in column %d", wrong, column)
		}
	}
}

// A time that does not exist is refused.
func TestInfer_WrongTime(t *testing.T) {
	t.Parallel()
	dir := measured(t, "happened", "known", time.DateTime, false)
	for text, want := range map[string]string{
		"readings=level":  "--time: column level of table readings does not hold dates or times",
		"readings=hapend": `--time: table readings has no column "hapend"; did you mean happened?`,
		"reading=known":   `--time: there is no table "reading"; did you mean readings?`,
	} {
		_, err := tableinit.Infer(t.Context(), dir, tableinit.Options{Center: "checks.checked_at", Target: "checks(check_id, failed)", Time: []string{text}})
		check.MustIs(t, err != nil, true, "%s: an error", text)
		check.Contains(t, err.Error(), want, "%s", text)
	}
}

// Dates in every form are compared with the label of their day as values that are few or not, never as numbers.
func TestInfer_DatesBesideLabel(t *testing.T) {
	t.Parallel()
	for _, layout := range []string{time.DateOnly, "2006/01/02", "20060102", "02/01/2006", "01/02/2006"} {
		var checks, visits strings.Builder
		checks.WriteString("machine_id,checked_on,fails\n")
		visits.WriteString("machine_id,visited_on,birth_date,level\n")
		for i := range 400 {
			day := time.Date(2021, 1, 1+i/2, 0, 0, 0, 0, time.UTC)
			fmt.Fprintf(&checks, "M%d,%s,%s\n", i%20, day.Format(layout), []string{"yes", "no", "no"}[i%3])
			fmt.Fprintf(&visits, "M%d,%s,%s,%d\n", i%20, day.Format(layout), day.AddDate(-30, 0, i%97).Format(layout), i%89)
		}
		dir := folder(t, false, [2]string{"checks.csv", checks.String()}, [2]string{"visits.csv", visits.String()})
		_, err := tableinit.Infer(t.Context(), dir, tableinit.Options{Center: "checks.checked_on", Target: "checks(machine_id, fails)"})
		check.OKf(t, err, "%s", layout)
	}
}
