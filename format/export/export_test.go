package export_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"resolwe/format/export"
	"resolwe/format/mln"
	"resolwe/internal/test/check"
	"resolwe/internal/test/oracle"
)

// parse reads a model.
func parse(t *testing.T, text string, opt mln.Options) *mln.Model {
	t.Helper()
	m, err := mln.Parse("task.mln", []byte(text), opt)
	check.OK(t, err)
	return m
}

// write returns what is exported.
func write(t *testing.T, m *mln.Model, system string) (string, error) {
	t.Helper()
	var b bytes.Buffer
	err := export.Write(&b, system, &export.Model{Schema: &m.Schema, Constants: m.Constants, Formulas: m.Formulas})
	return b.String(), err
}

// What Alchemy reads is the same model, but for what its command line says.
func TestWrite_Alchemy(t *testing.T) {
	t.Parallel()
	written := 0
	for seed := range uint64(200) {
		text, _ := oracle.RandomTask(rand.New(rand.NewPCG(seed, 5)), oracle.TaskOptions{General: seed%2 == 1, Hard: true})
		m := parse(t, text, mln.Options{})
		out, err := write(t, m, "alchemy")
		if err != nil {
			continue
		}
		written++
		var targets []string
		for i := range m.Schema.Predicates {
			if p := &m.Schema.Predicates[i]; p.Role.IsTarget() {
				targets = append(targets, p.Name)
				p.Role = mln.RoleTarget
			}
		}
		again := parse(t, out, mln.Options{Targets: targets})
		check.Equal(t, fmt.Sprintf("schema of seed %d", seed), again.Schema, m.Schema)
		check.Equal(t, "constants", fmt.Sprint(again.Constants), fmt.Sprint(m.Constants))
		check.Equal(t, "formulas", rules(again), rules(m))
	}
	check.AtLeast(t, written, 10, "models could be written")
}

func rules(m *mln.Model) (out []string) {
	for _, f := range m.Formulas {
		out = append(out, mln.FormatRule(f))
	}
	return out
}

const task = `friends(person, person)
user = {"it's", B}
knows(person, user)
target smokes(person)
target listed cancer(person)
0.5 friends(x, y) ^ x != y ^ smokes(x) => smokes(y)
-1.5 friends(x, y) ^ cancer(x)
1 smokes(x) ^ knows(x, "it's") ^ !friends(@center, x)
!smokes(x) v !cancer(x).
`

func TestWrite_PSL(t *testing.T) {
	t.Parallel()
	got, err := write(t, parse(t, task, mln.Options{}), "psl")
	check.OK(t, err)
	_, got, _ = strings.Cut(got, "\n")
	check.Equal(t, "rules", got, `0.5: friends(V_x, V_y) & V_x != V_y & smokes(V_x) -> smokes(V_y)
1.5: friends(V_x, V_y) -> !cancer(V_x)
1: Center(C_) & knows(V_x, 'it\'s') & !friends(C_, V_x) -> smokes(V_x)
smokes(V_x) -> !cancer(V_x) .
`)
}

func TestWrite_Unsupported(t *testing.T) {
	t.Parallel()
	head := "r(a, a)\nage(a, number)\ntarget q(a)\ntarget listed l(a)\n"
	for formula, systems := range map[string]string{
		"1 log: r(x, y) ^ q(x)":                           "alchemy psl problog",
		"1 #{y: r(x, y)} >= 2 => q(x)":                    "alchemy psl problog",
		"1 age(x, n) ^ n >= 3 => q(x)":                    "alchemy psl problog",
		"1 r(@center, x) => q(x)":                         "alchemy",
		"1 q(x) <=> r(x, x)":                              "psl problog",
		"1 EXIST y r(x, y) ^ q(x)":                        "psl problog",
		"r(x, y) => q(x)":                                 "psl problog",
		"1 r(x, y) ^ l(x) => l(y)":                        "alchemy",
		"1 r(x, y) ^ q(x) ^ q(y)":                         "psl",
		"1 r(x, y) => q(x)":                               "",
		"1 r(x, \"a\\\"b\") => q(x)":                      "alchemy",
		"-1 r(x, y) ^ q(x) ^ q(y)":                        "",
		"1 (r(x, y) ^ q(x)) v (r(y, x) ^ q(y))":           "psl problog",
		"r(x, y) ^ q(x) => q(y).":                         "",
		"1 r(x, y) ^ #{z: age(z, n) ^ n < 2} < 3 => q(x)": "alchemy psl problog",
	} {
		m := parse(t, head+formula+"\n", mln.Options{})
		for _, system := range export.Systems {
			out, err := write(t, m, system)
			var e *export.UnsupportedError
			if refused := errors.As(err, &e); refused != slices.Contains(strings.Fields(systems), system) {
				t.Errorf("%s of %s: got %v", formula, system, err)
			} else if refused && (out != "" || !strings.Contains(err.Error(), "formula 1, ") && !strings.Contains(err.Error(), "l is listed")) {
				t.Errorf("%s of %s: wrote %q, and said %v", formula, system, out, err)
			}
		}
	}
	named := parse(t, "same-bib(a, a)\ntarget q(a)\n1 same-bib(x, x') ^ same-bib(x', B) => q(x)\n", mln.Options{})
	for system, part := range map[string]string{
		"alchemy": "1 same-bib(x, x') ^ same-bib(x', B) => q(x)\n", "sql": `FROM "same-bib" t0`, "problog": `broken_1(x, V_x, V1) :- 'type_a'(V_x), 'type_a'(V1), 'same-bib'(V_x, V1)`,
	} {
		out, err := write(t, named, system)
		check.OK(t, err)
		check.Contains(t, out, part, "%s", system)
	}
	check.Contains(t, check.Err(write(t, named, "psl")).Error(), "predicate same-bib has other characters than letters, digits and underscores", "psl")
	for system, part := range map[string]string{"sql": `INSERT INTO "domain_a" VALUES ('B')`, "problog": "'type_a'('B')."} {
		out, _ := write(t, named, system)
		check.Contains(t, out, part, "constants of formulas by %s", system)
	}
	m := parse(t, "Friends(a, a)\nfriends(a, a)\ntarget q(a)\n", mln.Options{})
	check.Fails(t, check.Err(write(t, m, "sql")), "tables whose names differ in case only")
}

func Example() {
	m, err := mln.Parse("task.mln", []byte("friends(person, person)\ntarget smokes(person)\n1.5 friends(x, y) ^ smokes(x) => smokes(y)\n"), mln.Options{})
	if err != nil {
		panic(err)
	}
	err = export.Write(os.Stdout, "psl", &export.Model{Schema: &m.Schema, Constants: m.Constants, Formulas: m.Formulas})
	if err != nil {
		panic(err)
	}
	// Output:
	// // Rules of a Markov logic network. Linear hinges: a rule costs its weight times its distance to satisfaction.
	// 1.5: friends(V_x, V_y) & smokes(V_x) -> smokes(V_y)
}
