package resolwe_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"resolwe"
	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

const numberlikeModel = `number points
target listed bought(product)
price(product, number)
worth(zip, points)
near(zip, product)
0.7 price(p, n) ^ n >= 8 ^ near(@center, p) => bought(p)
-0.3 bought(p)
`

const numberlikeRecipe = `table o(zip, product, number, number, int) from "o.csv" (zip, product, float(price), float(worth), int(fold))
center c fold f :- o(c, _, _, _, f)
bought(p) :- o(@center, p, _, _, _), !dear(p)
!bought(p) :- o(@center, p, _, _, _), dear(p)
dear(p) :- o(_, p, n, _, _), n >= 1000
price(p, n) :- o(@center, p, n, _, _)
worth(z, n) :- o(z, p, _, n, _), bought(p)
near(z, p) :- o(z, p, _, _, _), o(@center, p, _, _, _)
`

// numberlike returns a name that looks like a number in a spelling of its own, or nearly so.
func numberlike(rng *rand.Rand) string {
	odd := []string{
		"NaN", "Inf", "+Inf", "-inf", "1e400", "0x1F", "1_000", "\u0663", "\uff11\uff12", " 8", "8 ", "-", "+", ".", "e", "--1", "1e", "8,0", `8"`, "8\\",
		"9007199254740993", "1e-400", "@center", "_", "v", "!8", "?8", "//8",
	}
	if rng.IntN(4) == 0 {
		return odd[rng.IntN(len(odd))]
	}
	return number(rng, []float64{0, 8, 8, 12, 501, 1000, 0.5}[rng.IntN(7)])
}

// number returns a spelling of a number.
func number(rng *rand.Rand, v float64) string {
	text := strconv.FormatFloat(v, "fe"[rng.IntN(2)], -1, 64)
	if rng.IntN(3) == 0 && !strings.ContainsAny(text, ".e") {
		text += []string{".0", ".", "e0", "E+00"}[rng.IntN(4)]
	}
	text = strings.Repeat("0", rng.IntN(3)*rng.IntN(2)) + text
	return []string{"", "", "+", "-"}[rng.IntN(4)] + text
}

// TestBuild_NumberlikeNames builds streams whose entities, centers and folds have names that look like numbers, beside numbers, and
// compares their facts with what the table states: names as they are, numbers by value. They are the same as text and packed again.
func TestBuild_NumberlikeNames(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, numberlikeModel)
	for range 40 {
		seed := rand.Uint64()
		rng := rand.New(rand.NewPCG(seed, 0))
		var table bytes.Buffer
		w := csv.NewWriter(&table)
		rows := [][]string{{"zip", "product", "price", "worth", "fold"}}
		folds := map[string]string{}
		for range 3 + rng.IntN(20) {
			zip := numberlike(rng)
			if folds[zip] == "" {
				folds[zip] = []string{"0", "1", "03", "2"}[rng.IntN(4)]
			}
			v := []float64{0, 8, 501, 1000, 12.5}
			rows = append(rows, []string{zip, numberlike(rng), number(rng, v[rng.IntN(len(v))]), number(rng, v[rng.IntN(len(v))]), folds[zip]})
		}
		check.OK(t, w.WriteAll(rows))
		dir := t.TempDir()
		streamtest.File(t, dir, "o.csv", table.Bytes())
		_, data, err := built(t, m, dir, numberlikeRecipe, 1)
		check.OKf(t, err, "seed %d", seed)
		_, again, err := built(t, m, dir, numberlikeRecipe, 3)
		check.OKf(t, err, "seed %d", seed)
		check.Is(t, bytes.Equal(data, again), true, "seed %d: the same bytes by three workers", seed)

		subs := readAll(t, m, data)
		var text bytes.Buffer
		for _, s := range subs {
			check.Equal(t, fmt.Sprintf("seed %d: center %q", seed, s.Center), stated(m, s), expectedOf(rows[1:], s.Center))
			check.OK(t, facts.Write(&text, s, m.Schema))
		}
		packed := streamtest.Pack(t, m.Schema, subgraphs(t, m, text.String()), rsg.WriterOptions{})
		var same bytes.Buffer
		for _, s := range readAll(t, m, packed) {
			check.OK(t, facts.Write(&same, s, m.Schema))
		}
		check.Is(t, same.String(), text.String(), "seed %d: packed text", seed)
		ofTables, err := infer(t, m, streamtest.Open(t, m, resolwe.StreamOptions{Names: true}, streamtest.File(t, dir, "s.rsg", data)), resolwe.InferOptions{})
		check.OKf(t, err, "seed %d", seed)
		ofText, err := infer(t, m, streamtest.InMemory(t, m, text.String()), resolwe.InferOptions{})
		check.OKf(t, err, "seed %d", seed)
		check.Is(t, ofTables, ofText, "seed %d: marginals", seed)
	}
}

// readAll verifies a stream and returns its subgraphs.
func readAll(t *testing.T, m *resolwe.Model, data []byte) (out []*subgraph.Subgraph) {
	t.Helper()
	_, err := rsg.Verify(bytes.NewReader(data), "s.rsg")
	check.OK(t, err)
	f, err := rsg.Open(data, "s.rsg", rsg.ReaderOptions{Names: true})
	check.OK(t, err)
	for i := range f.Len() {
		s, err := f.At(i)
		check.OK(t, err)
		out = append(out, s)
	}
	return out
}

// stated returns a subgraph's facts, with names in quotes, sorted, and its fold.
func stated(m *resolwe.Model, s *subgraph.Subgraph) []string {
	out := []string{fmt.Sprint("fold ", s.Fold)}
	for i := range s.Relations {
		p := &m.Schema.Predicates[i]
		for k, table := range s.Relations[i].Tables() {
			for row := range table.Len() {
				var atom strings.Builder
				atom.WriteString([]string{"", "!", "?"}[k] + p.Name)
				for c, typ := range p.Args {
					fmt.Fprintf(&atom, " %q", s.Domains[typ].Names.Name(table.Cols[c][row]))
				}
				out = append(out, atom.String())
			}
		}
	}
	slices.Sort(out)
	return out
}

// expectedOf is what stated should return, by enumeration of the table's rows.
func expectedOf(rows [][]string, center string) []string {
	value := func(text string) float64 {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			panic(err)
		}
		return v
	}
	own, dear := map[string]bool{}, map[string]bool{}
	out := map[string]bool{}
	for _, r := range rows {
		dear[r[1]] = dear[r[1]] || value(r[2]) >= 1000
		if r[0] == center {
			own[r[1]] = true
			fold, _ := strconv.Atoi(r[4])
			out[fmt.Sprint("fold ", fold)] = true
			out[fmt.Sprintf("price %q %q", r[1], mln.FormatNumber(value(r[2])))] = true
		}
	}
	for p := range own {
		out[map[bool]string{true: "!"}[dear[p]]+fmt.Sprintf("bought %q", p)] = true
	}
	for _, r := range rows {
		if own[r[1]] {
			out[fmt.Sprintf("near %q %q", r[0], r[1])] = true
			if !dear[r[1]] {
				out[fmt.Sprintf("worth %q %q", r[0], mln.FormatNumber(value(r[3])))] = true
			}
		}
	}
	list := make([]string, 0, len(out))
	for s := range out {
		list = append(list, s)
	}
	slices.Sort(list)
	return list
}

// TestDiscover_NumberIsNoCenter finds the same candidates whatever the center is called: a number of that text is not the center.
func TestDiscover_NumberIsNoCenter(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, "price(product, number)\nsoldIn(product, zip)\ntarget listed bought(product)\n")
	candidates := func(center string) string {
		var db strings.Builder
		for i := range 30 {
			fmt.Fprintf(&db, "@subgraph s%d center=%s\nprice(A, 501)\nprice(B, %d)\nsoldIn(A, %s)\nsoldIn(B, Z%d)\n", i, center, i%7, center, i%3)
			fmt.Fprintf(&db, "%sbought(A)\n%sbought(B)\n", []string{"", "!"}[i%2], []string{"!", "!", ""}[i%3])
		}
		found, err := resolwe.Discover(t.Context(), m, streamtest.InMemory(t, m, db.String()), resolwe.DiscoverOptions{Support: 2})
		check.OK(t, err)
		var printed strings.Builder
		check.OK(t, found.Model.Write(&printed, nil))
		return printed.String()
	}
	check.Is(t, candidates("501"), strings.ReplaceAll(candidates("502"), "502", "501"), "candidates")
}
