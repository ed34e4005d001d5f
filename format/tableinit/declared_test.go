package tableinit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"resolwe/format/lex"
	"resolwe/format/tableinit"
	"resolwe/format/tableschema"
	"resolwe/internal/test/check"
)

// staff is a folder whose names tell little: 40 people of 6 units, of which units.csv has 4, in shifts.
func staff() [][2]string {
	var people, shifts, days strings.Builder
	people.WriteString("nr,chief,branch,code,badge\n")
	shifts.WriteString("who,job,at,coded,week,room\n")
	days.WriteString("day,open\n")
	for i := range 40 {
		chief := ""
		if i > 2 {
			chief = strconv.Itoa(i/3 + 1)
		}
		fmt.Fprintf(&people, "%d,%s,%d,K%d,%d\n", i+1, chief, i%6+1, i*7%40, 20100000+i*11)
	}
	for i := range 300 {
		fmt.Fprintf(&shifts, "%d,%d,2021-%02d-%02d,K%d,%d,%d\n", i*13%40+1, i*7%13+1, i%12+1, i%28+1, i*3%40, i%9, i%5)
	}
	for i := range 336 {
		fmt.Fprintf(&days, "2021-%02d-%02d,%d\n", i/28+1, i%28+1, i%7)
	}
	return [][2]string{
		{"people.csv", people.String()},
		{"shifts.csv", shifts.String()},
		{"units.csv", "no,title\n1,north\n2,south\n3,east\n4,west\n"},
		{"days.csv", days.String()},
		{"rooms.csv", "week,room,size\n0,0,17\n1,1,23\n2,2,31\n3,3,17\n4,4,23\n5,0,29\n6,1,31\n7,2,31\n8,3,17\n"},
	}
}

const people = `{"name": "people", "comment": "all of\n them", "columns": [{"name": "badge", "type": "text", "comment": "on the card"}],
	"primary_key": ["nr"], "unique_keys": [["code"]], "foreign_keys": [
		{"columns": ["chief"], "table": "people"}, {"columns": ["branch"], "table": "the units", "references": ["no"]}]}`

const units = `{"name": "the units", "file": "units.csv", "primary_key": ["no"]}`

// declared drafts from the folder with a schema of some tables, and returns the recipe.
func declared(t *testing.T, tables ...string) string {
	t.Helper()
	files := append(staff(), [2]string{tableschema.File, `{"tables": [` + strings.Join(tables, ",\n") + "]}"})
	return string(infer(t, folder(t, false, files...), "shifts.who", "shifts(who, job)").Recipe)
}

// Declared keys and references stand, whatever names and values say, and nothing else is a key or a reference in tables that are declared.
func TestInfer_Declared(t *testing.T) {
	t.Parallel()
	const asDeclared = " (as schema.json declares"
	shifts := func(keys string) string { return `{"name": "shifts.csv", "foreign_keys": [` + keys + `]}` }
	person := `{"columns": ["who"], "table": "people", "references": ["nr"]}`
	for _, tt := range []struct {
		name   string
		tables []string
		want   []string // parts of the recipe, or of none of it after !
	}{
		{"nothing", nil, []string{"!schema.json", "//   branch: number", "//   badge: number", "//   who: a who (whole numbers from 1 to 40)"}},
		{"references", []string{people, units, shifts(person)}, []string{
			"// people.csv: 40 rows: all of them\n", "//   nr: key, a person" + asDeclared, "//   chief: a person, of people" + asDeclared + "; 3 cells are empty)",
			"//   branch: a unit_id, of units" + asDeclared, "//   who: a person, of people" + asDeclared, "//   badge: left out (40 texts, most of which stand once): on the card\n",
			"//   at: time of the row", "(nr, optional chief, branch",
		}},
		{"none are declared", []string{`{"name": "people"}`, units}, []string{"//   nr: number", "//   branch: number", "//   no: key, a unit" + asDeclared}},
		{"another unique column", []string{people, units, shifts(person + `, {"columns": ["coded"], "table": "people", "references": ["code"]}`)}, []string{
			"//   nr: key, a person" + asDeclared, "//   code: a coded" + asDeclared, "//   coded: a coded" + asDeclared,
		}},
		{"no primary key", []string{`{"name": "people", "unique_keys": [["badge"]]}`, shifts(`{"columns": ["coded"], "table": "people", "references": ["code"]}`)}, []string{
			"//   code: key, a person" + asDeclared, "//   coded: a person, of people" + asDeclared,
		}},
		{"several columns", []string{`{"name": "rooms", "primary_key": ["week", "room"], "foreign_keys": [{"columns": ["room"], "table": "units"}]}`, units, shifts(`{"columns": ["week", "room"], "table": "rooms"}`)}, []string{
			"//   week: a week" + asDeclared + ")\n//   room: a unit, of units" + asDeclared + ")\n//   size: number", "//   week: a week" + asDeclared + ")\n//   room: a unit, of units" + asDeclared + ")\n//\n",
		}},
		{"dates", []string{`{"name": "days", "primary_key": ["day"]}`, shifts(`{"columns": ["at"], "table": "days"}`)}, []string{"//   day: time", "//   at: time of the row", "// shifts.at does not refer to days.day, as declared: dates stay dates.\n"}},
		{"circles", []string{
			`{"name": "people", "primary_key": ["nr"], "foreign_keys": [{"columns": ["nr"], "table": "units"}, {"columns": ["nr"], "table": "people"}]}`,
			`{"name": "units", "primary_key": ["no"], "foreign_keys": [{"columns": ["no"], "table": "people"}]}`,
		}, []string{"//   nr: key, a unit", "// units.no does not refer to people.nr, as declared: they refer to each other.\n"}},
		{"an undeclared table", []string{shifts(`{"columns": ["coded"], "table": "people", "references": ["code"]}, {"columns": ["who"], "table": "people", "references": ["nr"]}`)}, []string{
			"//   nr: a who" + asDeclared, "//   code: key, a person" + asDeclared, "//   coded: a person, of people" + asDeclared, "//   who: a who" + asDeclared,
		}},
		{"undeclared tables", []string{units}, []string{"//   nr: key, a person (whole numbers", "//   no: key, a unit" + asDeclared}},
	} {
		recipe := declared(t, tt.tables...)
		for _, want := range tt.want {
			if part, not := strings.CutPrefix(want, "!"); strings.Contains(recipe, part) == not {
				findings, _, _ := strings.Cut(recipe, "\n// The centers")
				t.Errorf("%s: want %s in\n%s", tt.name, want, findings)
			}
		}
	}
}

// A schema without tables changes nothing; declarations of what is guessed change what is said of it, but no rule.
func TestInfer_DeclaredAsGuessed(t *testing.T) {
	t.Parallel()
	rules := func(schema string) string {
		files := shop(t)
		if schema != "" {
			files = append(files, [2]string{tableschema.File, schema})
		}
		d := infer(t, folder(t, false, files...), "customers.customer_id", "favourites(customer, product)")
		var out []string
		for line := range strings.SplitSeq(string(d.Recipe), "\n") {
			if !strings.HasPrefix(line, "//   ") {
				out = append(out, line)
			}
		}
		return strings.Join(out, "\n") + string(d.Task)
	}
	guessed := rules("")
	check.Equal(t, "no tables", rules(`{"tables": []}`), guessed)
	check.Equal(t, "declared", rules(`{"tables": [
		{"name": "customers", "primary_key": ["customer_id"], "columns": [{"name": "city", "type": "text"}]},
		{"name": "orders", "primary_key": ["order_id"], "columns": [{"name": "ordered_at", "type": "timestamp"}], "foreign_keys": [{"columns": ["customer_id"], "table": "customers"}]},
		{"name": "lines", "foreign_keys": [{"columns": ["order_id"], "table": "orders"}]},
		{"name": "favourites", "foreign_keys": [{"columns": ["customer"], "table": "customers", "references": ["customer_id"]}]},
		{"name": "views", "foreign_keys": [{"columns": ["customer_id"], "table": "customers", "references": ["customer_id"]}]}]}`), guessed)
}

// A request overrules a declaration, and tables whose names differ in digits stay apart if they are declared so.
func TestInfer_DeclaredAndAsked(t *testing.T) {
	t.Parallel()
	files := append(staff(), [2]string{tableschema.File, `{"tables": [` + people + "," + units + "]}"})
	d, err := tableinit.Infer(t.Context(), folder(t, false, files...), tableinit.Options{
		Center: "shifts.who", Target: "shifts(who, job)", As: []string{"people.branch=number", "shifts.who=people.nr"},
	})
	check.OK(t, err)
	check.Contains(t, string(d.Recipe), "//   branch: number (as asked)", "recipe")
	check.Contains(t, string(d.Recipe), "//   who: a person, of people (as asked)", "recipe")

	parts := func(schema string) []tableinit.Table {
		files := [][2]string{{"log1.csv", "user,item\n"}, {"log2.csv", "user,item\n"}, {tableschema.File, schema}}
		for i := range 60 {
			files[i%2][1] += fmt.Sprintf("u%d,i%d\n", i%7, i%11)
		}
		d, err := tableinit.Infer(t.Context(), folder(t, false, files...), tableinit.Options{Center: "log1.user", Target: "log1(user, item)"})
		if err != nil {
			d, err = tableinit.Infer(t.Context(), folder(t, false, files...), tableinit.Options{Center: "log.user", Target: "log(user, item)"})
		}
		check.OK(t, err)
		return d.Tables
	}
	check.Is(t, len(parts(`{"tables": [{"name": "log"}]}`)), 1, "tables of two parts")
	check.Is(t, len(parts(`{"tables": [{"name": "log1"}, {"name": "log2"}]}`)), 2, "tables that are declared")
}

// Errors say where the schema is wrong.
func TestInfer_DeclaredWrongly(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ tables, want string }{
		{"{", "schema.json:1:14: it ends too early"},
		{`{"name": "peple"}`, `schema.json:1:22: there is no table "peple"; the folder has: days, people, rooms, shifts, units; did you mean "people"?`},
		{`{"name": "people", "file": "p.csv"}`, `schema.json:1:22: there is no table "p.csv"`},
		{`{"name": "people"}, {"name": "x", "file": "people.csv"}`, `schema.json:1:42: people.csv is declared already, as "people"`},
		{`{"name": "people", "columns": [{"name": "bade"}]}`, `schema.json:1:53: table people has no column "bade"; it has: nr, chief, branch, code, badge; did you mean "badge"?`},
		{`{"name": "people", "primary_key": ["NR"]}`, `table people has no column "NR"`},
		{`{"name": "people", "primary_key": ["branch"]}`, "schema.json:1:48: column branch of table people is not a primary key: some cells are empty or repeat"},
		{`{"name": "people", "primary_key": ["chief"]}`, "is not a primary key"},
		{`{"name": "people", "unique_keys": [["nr", "x"]]}`, `has no column "x"`},
		{`{"name": "people", "foreign_keys": [{"columns": ["branch"], "table": "unit"}]}`, `schema.json:1:82: there is no table "unit"; the folder has: days, people, rooms, shifts, units; did you mean "units"?`},
		{`{"name": "people", "foreign_keys": [{"columns": ["branch"], "table": "units"}]}`, "the primary key of units is not declared as 1 of its columns: add references"},
		{`{"name": "people", "foreign_keys": [{"columns": ["branch"], "table": "units", "references": ["nr"]}]}`, `table units has no column "nr"`},
	} {
		dir := folder(t, false, append(staff(), [2]string{tableschema.File, `{"tables": [` + tt.tables + "]}"})...)
		if tt.tables == "{" {
			check.OK(t, os.WriteFile(filepath.Join(dir, tableschema.File), []byte(`{"tables": [{`), 0o600))
		}
		_, err := tableinit.Infer(t.Context(), dir, tableinit.Options{Center: "shifts.who", Target: "shifts(who, job)"})
		if err == nil {
			t.Errorf("%s: got no error, want %s", tt.tables, tt.want)
			continue
		}
		check.Contains(t, err.Error(), tt.want, "error of %s", tt.tables)
		check.ErrorAs[*tableschema.Error](t, err, "type of the error")
		check.ErrorAs[lex.Error](t, err, "an error of usage")
	}
}
