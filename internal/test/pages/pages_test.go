package pages_test

import (
	"strings"
	"testing"

	"resolwe/internal/test/check"
	"resolwe/internal/test/pages"
)

const page = "# Page\n\nRun `resolwe\nversion` or `make x`.\n\n<!-- file: a.db -->\n```\np(A)\n\n    q(B)\n```\n\n" +
	"    resolwe pack a.db \\\n      -o b.rsg   # status 3\n    a comment\n\n" +
	"<!-- out: resolwe pack a.db -o b.rsg\n^two\n-->\n\n    old\n\n    older\n\nEnd.\n\n" +
	"<!-- figures: resolwe version\nIt has {(\\d+) words;words} words\n-->\n<!-- figures: x\n| a | {a (\\S+);.2} |\n-->\nIt has nine words\n| a | .1 |\n"

func TestRead(t *testing.T) {
	t.Parallel()
	p := pages.Read(page)
	check.Equal(t, "commands", p.Commands, []pages.Command{
		{4, "resolwe version", 0, true}, {4, "make x", 0, true}, {12, "resolwe pack a.db -o b.rsg", 3, false},
	})
	var blocks []string
	for _, m := range p.Marks {
		blocks = append(blocks, m.Kind+": "+m.Head+": "+strings.Join(m.Block, "|"))
	}
	check.Slices(t, blocks, []string{
		"file: a.db: p(A)||    q(B)", "out: resolwe pack a.db -o b.rsg: old||older",
		"figures: resolwe version: It has nine words|| a | .1 |", "figures: x: It has nine words|| a | .1 |",
	}, "blocks")
	check.Is(t, p.With(nil), page, "the page")
	got := p.With(map[int][]string{1: {"one", "", "two"}, 2: {"It has two words", "| a | .1 |"}, 3: {"It has nine words", "| a | .25 |"}})
	want := strings.NewReplacer("    old\n\n    older", "    one\n\n    two", "It has nine words\n| a | .1 |", "It has two words\n| a | .25 |").Replace(page)
	check.Is(t, got, want, "the page with other blocks")
}

func TestSelect(t *testing.T) {
	t.Parallel()
	const output = "a 1\nb 2\n\nc 3\nb 4\nd 5 s\n"
	for _, test := range []struct{ items, want string }{
		{"", "a 1|b 2||c 3|b 4|d 5 s"}, {"^b", "b 2"}, {"^a|..|^c|+1", "a 1|..|c 3|b 4"}, {"^c|+", "c 3|b 4|d 5 s"}, {"* ^b", "b 2|b 4"}, {"^$", ""}, {"~ \\d s", "a 1|b 2||c 3|b 4|d 5 s"},
	} {
		items := strings.FieldsFunc(test.items, func(r rune) bool { return r == '|' })
		got, err := pages.Select(output, items)
		check.OK(t, err)
		check.Is(t, strings.Join(got, "|"), test.want, "%s", test.items)
	}
	check.Fails(t, check.Err(pages.Select(output, []string{"^c", "^a"})), "lines out of order")
	check.Slices(t, pages.Keep([]string{"x 7 s"}, []string{"d 15 s"}, []string{`~ \d+ s`}), []string{"d  7 s"}, "kept times")
	check.Slices(t, pages.Keep([]string{"x"}, []string{"d 15 s"}, []string{`~ \d+ s`}), []string{"d 15 s"}, "new times")
}

func TestFill(t *testing.T) {
	t.Parallel()
	const output = "gain 0.7754 -0.6666 12345 [9 14 10]\nbase 0.5 10.25 7\n"
	for template, want := range map[string]string{
		`{^gain (\S+)}`: "0.7754", `{^gain (\S+);.3}`: ".775", `{^gain (\S+);0.2}`: "0.78", `{^gain \S+ (\S+);.2}`: "-.67", `{^base \S+ (\S+);.1}`: "10.2", `{gain.*?(\d+) \[;,}`: "12,345",
		`{\[(.*)\];range}`: "9 to 14", `{^(\S+) 0;count}`: "two", `{(\d)$;words}`: "seven",
	} {
		got, err := pages.Fill([]string{"other", "x = ?"}, []string{"x = " + template}, output)
		check.OKf(t, err, "%s", template)
		check.Slices(t, got, []string{"other", "x = " + want}, "%s", template)
	}
	for _, template := range []string{"y = {(.)}", "x = {zzz(.)}", "x = {(g);.2}", "x = {(;.2}"} {
		check.Fails(t, check.Err(pages.Fill([]string{"x = ?"}, []string{template}, output)), "%s", template)
	}
}
