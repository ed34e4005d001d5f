package render_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/render"
	"resolwe/internal/test/check"
)

// Formulas about one number or pattern share their quantity, and others do not.
func TestTell_Quantity(t *testing.T) {
	t.Parallel()
	orders := "orders_customer_id(o, c) ^ orders_days(o, d) ^ d <= "
	classes := [][]string{
		{"once: " + orders + "30", "log: " + orders + "30", "#{o: " + orders + "30} >= 3", "#{x: orders_days(x, d) ^ d <= 30 ^ orders_customer_id(x, c)} < 1"},
		{"once: " + orders + "90"},
		{"min{d, o: orders_customer_id(o, c) ^ orders_days(o, d)} <= 38", "!min{e, y: orders_customer_id(y, c) ^ orders_days(y, e)} >= 52", "rank(1, 2): min{d, o: orders_customer_id(o, c) ^ orders_days(o, d)}"},
		{"max{d, o: orders_customer_id(o, c) ^ orders_days(o, d)} <= 38"},
		{"once: customers_birth_year(c, n) ^ n >= 1970", "once: customers_birth_year(c, n) ^ n <= 1950", "rank(1900, 2000): customers_birth_year(c, n)"},
		{"mean: lines_product(c, p) ^ responses_target(e) ^ lines_product(e, p)"},
		{"customers_newsletter(c)"},
	}
	seen := map[string]int{}
	for i, class := range classes {
		for _, text := range class {
			m, err := mln.Parse("m.mln", []byte(shop+"1 "+text+" ^ responses_target(c)\n"), mln.Options{})
			check.OK(t, err)
			told := render.NewSpeaker(&m.Schema).Tell(m.Formulas[0], false)
			if other, ok := seen[told.Quantity]; ok != (text != class[0]) || ok && other != i {
				t.Errorf("%s: quantity %s is that of class %d, want %d", text, told.Quantity, other, i)
			}
			seen[told.Quantity] = i
		}
	}
}

// What a formula does besides naming a group.
func TestTell_Kinds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		formula                     string
		inverse, number, tie, plain bool
		cut                         render.Cut
		short, unit                 string
	}{
		{formula: "once: customers_birth_year(c, n) ^ n >= 1970 ^ responses_target(c)", cut: render.Cut{Op: mln.AtLeast, Value: 1970}, short: "year of birth is 1970 or more", unit: "year"},
		{formula: "once: customers_birth_year(c, n) ^ n >= 1970 ^ responses_target(c)", inverse: true, cut: render.Cut{Op: mln.Less, Value: 1970}, short: "year of birth is under 1970", unit: "year"},
		{formula: "log: visits_customer_id(v, c) ^ responses_target(c)", number: true, short: "at least one visit"},
		{formula: "once: visits_customer_id(v, c) ^ responses_target(c)", inverse: true, short: "no visit"},
		{formula: "lines_product(c, p) ^ lines_product(e, p) ^ e != c ^ responses_target(e) => responses_target(c)", number: true, tie: true, short: "bought at least one product that was bought by another customer who responded"},
		{formula: "(EXIST v visits_customer_id(v, c)) v responses_target(c)", plain: true},
		{formula: "customers_newsletter(c) <=> responses_target(c)", plain: true},
		{formula: "lines_product(x, p) ^ responses_target(c)", number: true, plain: true},
	} {
		m, err := mln.Parse("m.mln", []byte(shop+"1 "+test.formula+"\n"), mln.Options{})
		check.OK(t, err)
		told := render.NewSpeaker(&m.Schema).Tell(m.Formulas[0], test.inverse)
		check.Equal(t, test.formula+": plain", told.Plain, test.plain)
		check.Equal(t, test.formula+": tie", told.Tie, test.tie)
		check.Equal(t, test.formula+": inverse", told.Inverse, test.inverse)
		check.Equal(t, test.formula+": short", told.Short.String(), test.short)
		check.Equal(t, test.formula+": unit", told.Unit, test.unit)
		if !test.plain {
			check.Equal(t, test.formula+": number", told.Number, test.number)
		}
		var cut render.Cut
		if told.Cut != nil {
			cut = *told.Cut
		}
		check.Equal(t, test.formula+": cut", cut, test.cut)
	}
}

var banned = regexp.MustCompile(`(?i)\b(because|causes?|effects?|affects?|impacts?|drives?|leads? to|due to|thanks to|raises?|lowers?|reduces?|protects?|risk factors?|atoms?|groundings?|subgraphs?|log-odds|predicates?)\b`)

// wordsOf counts words, a name as one.
func wordsOf(p render.Phrase) (n int) {
	for _, piece := range p {
		if piece.Name {
			n++
		} else {
			n += len(strings.Fields(piece.Text))
		}
	}
	return n
}

// No text about a formula of the repository's models has a name with an underscore or a variable, claims a cause, or is long; all are the
// same in every run. Names from the data may be anything.
func TestTell_AllModels(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{"../../cmd/resolwe/testdata/*/*/*.mln", "../../testdata/*/*.mln", "../../format/mln/testdata/*/*.mln", "../../examples/*/*.mln", "../../docs/*/*.mln"} {
		more, err := filepath.Glob(pattern)
		check.OK(t, err)
		files = append(files, more...)
	}
	told, plain := 0, 0
	for _, file := range files {
		src, err := os.ReadFile(file)
		check.OK(t, err)
		m, err := mln.Parse(file, src, mln.Options{})
		if err != nil {
			continue // a model of errors, or with options
		}
		s := render.NewSpeaker(&m.Schema)
		for _, f := range m.Formulas {
			for v := range f.Vars {
				f.Vars[v].Name = "zq_" + f.Vars[v].Name
			}
			for _, inverse := range []bool{false, true} {
				x := s.Tell(f, inverse)
				check.Equal(t, "again", s.Tell(f, inverse).Group.String()+x.Name.String(), x.Group.String()+x.Name.String())
				if x.Plain {
					plain++
					continue
				}
				told++
				if x.Group == nil || x.Short == nil || x.Name == nil || wordsOf(x.Group) > 20 {
					t.Errorf("%s: %s: group %q, short %q, name %q", file, mln.FormatFormula(f), x.Group, x.Short, x.Name)
				}
				for _, p := range append(append(x.Group, x.Short...), x.Name...) {
					if !p.Name && (strings.Contains(p.Text, "_") || strings.Contains(p.Text, "zq") || banned.MatchString(p.Text)) {
						t.Errorf("%s: %s: %q", file, mln.FormatFormula(f), p.Text)
					}
				}
			}
		}
	}
	t.Logf("%d groups of %d files, %d have no short reading", told, len(files), plain)
	if told < 100 {
		t.Errorf("only %d groups were told", told)
	}
}

// FuzzTell checks that any formula over any names and words is told or has no short reading, in both directions, with nothing hidden.
func FuzzTell(f *testing.F) {
	for _, schema := range []string{bank, shop, races, wiki} {
		f.Add([]byte(schema))
	}
	f.Add([]byte(shop + "1 lines_product(c, p) ^ c != e ^ lines_product(e, p) ^ responses_target(e) => responses_target(c)\n"))
	f.Add([]byte("number n\nr(s, s, n)\nq3(s, s, s)\nb(s, n)\n_p(s)\ntarget q(s)\ntarget pair(s, s)\n//= type s: ?, ??\n//= q3: {1} {2}\n1 once: q3(x, x, x) ^ r(x, y, z) ^ q(x)\n" +
		"1 #{y, n: r(x, y, n) ^ b(y, n)} >= 3 ^ !_p(@center) ^ q(x)\n1 last{n, m, y: b(x, n) ^ b(y, m)} < 3 ^ _p(x) ^ pair(x, y)\n2 share{y: _p(y) | q3(x, y, y)} > .3 => q(x)\n1 pair(x, x) ^ q(x)\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		m, err := mln.Parse("f.mln", src, mln.Options{})
		if err != nil {
			return
		}
		s := render.NewSpeaker(&m.Schema)
		for _, g := range m.Formulas {
			for _, inverse := range []bool{false, true} {
				told := s.Tell(g, inverse)
				if told.Plain != (told.Group == nil) || strings.ContainsAny(told.Group.String()+told.Short.String()+told.Name.String(), "\x01\x02\n\u202e") {
					t.Errorf("%s: %q %q %q", mln.FormatFormula(g), told.Group, told.Short, told.Name)
				}
			}
			_ = render.InWords(&m.Schema, g)
		}
		for pred, p := range m.Schema.Predicates {
			if p.Role.IsTarget() {
				_ = s.Question(pred)
			}
		}
	})
}
