package mln_test

import (
	"strings"
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
)

const worded = `number days
region(district, place)
trans_account(tran, account)
balance(tran, days)
type(account, place)
wrote(account, account)
target bad(account)
`

// Lines of words are read whatever their order and blanks, and printed in one.
func TestWords(t *testing.T) {
	t.Parallel()
	m := parse(t, `//= bad: went bad|did not  go bad
//=use: a test; only [here]
//= type tran : transaction,transactions
`+worded+`1 bad(a)
//= type account: account
	//= balance: balance [CZK]; low is good, level
//= region "a \"b\": c": is in b
//= region Prague: is in Prague
//= balance 07.0: seven
//= type "x": is x
//= type: kind
//= trans_account: on {account} | {2} has {tran}; one
/*
//= nothing
*/
//==== a ruler
1 bad(a) //= no line of its own
`)
	want := `//= use: a test; only [here]
//= type tran: transaction, transactions
//= type account: account
//= region "a \"b\": c": is in b
//= region "Prague": is in Prague
//= trans_account: on {account} | {2} has {tran}; one
//= balance: balance [CZK]; level, low is good
//= balance "7": seven
//= type: kind
//= type "x": is x
//= bad: went bad | did not go bad
`
	got := m.Declarations()
	_, lines, _ := strings.Cut(got, "//=")
	check.Equal(t, "canonical", "//="+lines, want)
	check.Equal(t, "again", parse(t, got).Declarations(), got)
	check.OK(t, mln.ReadBack(got+"1 bad(a)\n1 bad(a)\n", m))
	check.ErrorAs[*mln.ReadBackError](t, mln.ReadBack(strings.Replace(got, "kind", "sort", 1)+"1 bad(a)\n1 bad(a)\n", m), "other words")
}

// Texts are data: nothing is hidden, and their length is bounded.
func TestWords_Hostile(t *testing.T) {
	t.Parallel()
	m := parse(t, worded+"//= bad: a\u202eb\x01<script>\u2028 | "+strings.Repeat("é", 100)+"\r\n")
	w := m.Schema.WordsOf(false, "bad", nil)
	check.Equal(t, "marks", w.One, "a\ufffdb\ufffd<script>\ufffd")
	check.Equal(t, "length", w.Two, strings.Repeat("é", 79)+"…")
	check.Equal(t, "again", parse(t, m.Declarations()).Declarations(), m.Declarations())
}

// A line that would silently drop a word is an error at its place.
func TestWords_Errors(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"bda: went bad":              `predicate "bda", which this line words, is not declared`,
		"type trans: a, b":           `type "trans", which this line words, is not declared`,
		"bad went bad":               "says established",
		"Established":                "says established",
		"":                           "says established",
		": x":                        "says established",
		"use:":                       "says established",
		"bad:":                       "words are missing",
		"bad: a |":                   "words are missing",
		"bad: a | b | c":             "more than two texts",
		"type tran: a, b, c":         "more than two texts",
		"type tran: a; one":          `unknown flag "one"`,
		"bad: a; who":                `unknown flag "who"`,
		"balance: a; lvel":           `unknown flag "lvel"`,
		"region \"x: is x":           "says established",
		"region a b: is x":           "says established",
		"type tran \"x\": y":         "says established",
		"trans_account: on {acount}": "{acount} is none of its arguments",
		"trans_account: on {3}":      "{3} is none of its arguments",
		"bad: a\n//= bad: b":         "stated twice, first at",
	} {
		_, err := mln.Parse("m.mln", []byte(worded+"//= "+line+"\n"), mln.Options{})
		list := check.ErrorAs[mln.ErrorList](t, err, "%s", line)
		check.Equal(t, line, list[0].At().Pos.Line, 8+strings.Count(line, "\n"))
		if !strings.Contains(list[0].Error(), want) {
			t.Errorf("%s: %v, want %s", line, list[0], want)
		}
	}
}

// The greatest age is that of the oldest row, which is hardly meant.
func TestWarning_Oldest(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"last{b, d, t: of(t, x) ^ sum(t, b) ^ age(t, d)} >= 3 ^ q(x)":          1,
		"trend{b, d, t: of(t, x) ^ sum(t, b) ^ age(t, d) ^ d <= 9} > 0 ^ q(x)": 1,
		"rank(1, 2): last{b, d, t: of(t, x) ^ sum(t, b) ^ seen(t, d)} ^ q(x)":  1,
		"last{b, d, t: of(t, x) ^ sum(t, b) ^ date(t, d)} >= 3 ^ q(x)":         0,
		"max{d, t: of(t, x) ^ age(t, d)} >= 3 ^ q(x)":                          0,
		"avg{b, t: of(t, x) ^ sum(t, b) ^ age(t, d) ^ d <= 3} >= 3 ^ q(x)":     0,
	} {
		m := parse(t, "number days, time\nof(row, x)\nsum(row, time)\nage(row, days)\nseen(row, time)\ndate(row, time)\ntarget q(x)\n//= seen: age\n"+text+"\n")
		check.Equal(t, text, len(m.Warnings), want)
		for _, w := range m.Warnings {
			check.Equal(t, text, w.Pos.Line, 9)
		}
	}
}
