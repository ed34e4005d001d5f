// Package reading tells what cells may mean: numbers, dates, no value, or names of columns.
package reading

import (
	"bytes"
	"regexp"
	"strings"

	"resolwe/format/table"
	"resolwe/format/tablefile"
	"resolwe/internal/isotime"
)

// Reading is a way to read cells as values.
type Reading struct {
	Function, Form string
	Read           func([]byte) (int64, bool)
	Odd            int    // how many different cells it does not read
	Failed         bool   // more than maxOdd
	Seen           int    // how many different cells it reads, except those that may stand for no value
	First          string // of these cells
	Clock          bool   // some value, if a time, is not midnight
	Lo, Hi         int64  // the least and the greatest value
	Short          *ShortYears
}

// maxOdd is how many different cells a column of numbers or dates may hold that are none.
const maxOdd = 20

// Take reads a cell, unless it failed before. special says that the cell may stand for no value.
func (r *Reading) Take(cell []byte, mayStand bool) (n int64, ok, special bool) {
	if n, ok = r.Read(cell); !ok && r.dress(cell) {
		n, ok = r.Read(cell)
	}
	if !ok {
		r.Odd++
		r.Failed = r.Odd > maxOdd
		return 0, false, false
	}
	special = mayStand
	if r.Function == "time" {
		special = mayStand && len(cell) == len("99991231") || isFarDay(n) && (len(cell) == len("99991231") || len(bytes.Trim(cell, "-0123456789")) > 0 || bytes.Count(cell, []byte("-")) == 2)
	}
	if !special {
		if r.First == "" {
			r.First = string(cell)
		}
		r.Widen(n)
		if r.Short != nil && (len(cell) < len("2020-12-31") || cell[4] != '-') {
			r.Short.add(isotime.Form(r.Form).ShortYear(cell), n)
		}
		r.Clock = r.Clock || isotime.FloorDiv(n, isotime.SecondsOfDay)*isotime.SecondsOfDay != n
	}
	return n, true, special
}

// Widen extends the range of values.
func (r *Reading) Widen(n int64) {
	if r.Seen++; r.Seen == 1 {
		r.Lo, r.Hi = n, n
	}
	r.Lo, r.Hi = min(r.Lo, n), max(r.Hi, n)
}

// All returns all ways to read cells, those of one function in order of preference.
func All() []Reading {
	out := make([]Reading, 0, 20)
	out = append(out, Reading{Function: "int"}, Reading{Function: "float"})
	for _, form := range []isotime.Form{isotime.FormISO, isotime.FormYMD, isotime.FormMDY, isotime.FormDMY, isotime.FormPeriod} {
		out = append(out, Reading{Function: "time", Form: string(form)})
	}
	for _, function := range []string{"int", "float"} {
		for _, base := range []string{table.FormPlain, table.FormComma, table.FormPoint, table.FormSpace, table.FormApostrophe} {
			out = append(out, Reading{Function: function, Form: base})
		}
	}
	for i := range out {
		out[i].Read = tablefile.ReadValue(out[i].Function, out[i].Form)
		if isotime.Form(out[i].Form).HasYears() {
			out[i].Short = &ShortYears{}
		}
	}
	return out
}

// currency matches signs and codes of currencies, percent signs too.
var currency = regexp.MustCompile(`^(?:[A-Z]{0,2}\p{Sc}|%|kr|zł|Kč|Rs|AUD|BRL|CAD|CHF|CNY|CZK|DKK|EUR|GBP|HUF|INR|JPY|KRW|MXN|NOK|NZD|PLN|RUB|SEK|TRY|USD|ZAR)$`)

// dress makes a way to read numbers also read a cell with other signs around its number, if these go with those of earlier cells, and reports
// whether it does.
func (r *Reading) dress(cell []byte) bool {
	form, ok := table.ParseNumberForm(r.Form)
	start, end := bytes.IndexAny(cell, "0123456789"), bytes.LastIndexAny(cell, "0123456789")+1
	if !ok || end == 0 || end-start == len(cell) {
		return false
	}
	const around = "()<>=≤≥+-\u2212., \u00a0\u202f"
	prefix, suffix := strings.Trim(string(cell[:start]), around), strings.Trim(string(cell[end:]), around)
	for _, sign := range []struct {
		found string
		known *string
	}{{prefix, &form.Prefix}, {suffix, &form.Suffix}} {
		if sign.found == "" || sign.found == *sign.known {
			continue
		}
		if form.Prefix+form.Suffix != "" || !currency.MatchString(sign.found) || sign.found == "%" && r.Seen > 0 {
			return false
		}
		*sign.known = sign.found
	}
	form.Account = form.Account || cell[0] == '(' || cell[len(cell)-1] == '-'
	form.Bound = form.Bound || tablefile.IsBound(cell)
	read := tablefile.ReadValue(r.Function, form.String())
	if read == nil {
		return false
	}
	if _, ok = read(cell); ok {
		r.Form, r.Read = form.String(), read
	}
	return ok
}
