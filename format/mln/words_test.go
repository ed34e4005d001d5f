package mln_test

import (
	"strings"
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
)

const wordy = `loan_account_id(loan, account)
account_frequency(account, frequency)
target bad(loan)
`

// Words are read, printed after the declarations, and read back as they were.
func TestParse_Words(t *testing.T) {
	t.Parallel()
	text := wordy + `//= type loan:loan,  loans ; who
//= loan_account_id: its account; one
//= account_frequency "weekly: issuance": gets weekly statements [CZK]
//= account_frequency 0 : pays; level; age
//= use: for tests | alone
//= bad: first
//= established
1 bad(x)
//= bad: went bad ` + "\u202e" + strings.Repeat("x", 99) + "\n"
	want := wordy + `//= type loan: loan,  loans; who
//= loan_account_id: its account; one
//= account_frequency "weekly: issuance": gets weekly statements [CZK]
//= account_frequency "0": pays; level; age
//= use: for tests | alone
//= bad: went bad ` + "\ufffd" + strings.Repeat("x", 70) + "\n"
	m, err := mln.Parse("m.mln", []byte(text), mln.Options{})
	check.OK(t, err)
	check.Equal(t, "printed", m.Declarations(), want)
	check.Equal(t, "standing", m.Formulas[0].Standing, mln.StandingEstablished)
	again, err := mln.Parse("m.mln", []byte(want+"1 bad(x)\n"), mln.Options{})
	check.OK(t, err)
	check.Equal(t, "printed again", again.Declarations(), want)
}

func TestParse_WordsErr(t *testing.T) {
	t.Parallel()
	for line, wrong := range map[string]string{
		"//= type loans: loan":      "m.mln:4:1: these words are of a type that is not declared: loans",
		"//= laon: loan":            "m.mln:4:1: these words are of a predicate that is not declared: laon",
		"//= bad went bad":          "m.mln:4:1: words follow a colon",
		"//= Established":           "m.mln:4:1: words follow a colon",
		"//= bad:":                  "m.mln:4:1: no words follow the colon",
		"//= : loan":                `m.mln:4:1: "//= " begins a line of words`,
		"//= bad: went bad; twice":  "m.mln:4:1: after ; stands one of who, one, level, age, rank, low is good, not \"twice\"",
		"//= bad: worth [CZK":       "m.mln:4:1: [ begins a unit",
		"//= type loan \"x\": loan": "m.mln:4:1: words follow a colon",
	} {
		_, err := mln.Parse("m.mln", []byte(wordy+line+"\n1 bad(x)\n"), mln.Options{})
		if err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: %v, want %s", line, err, wrong)
		}
	}
}
