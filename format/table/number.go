package table

import "strings"

// Forms of numbers, with what is between thousands and before a fraction.
const (
	FormPlain      = "1234.5"
	FormComma      = "1,234.5"
	FormPoint      = "1.234,5"
	FormSpace      = "1 234,5"
	FormApostrophe = "1'234.5"
)

// NumberForm is how numbers are written: the number 1234.5 as one of the constants, between other signs. Cells may lack these signs, but for a
// percent sign, and thousands may stand together.
type NumberForm struct {
	Base           string // one of the constants
	Prefix, Suffix string // as in "$1,234.5" and "1.234,5 €"; a percent sign is no hundredth
	Account        bool   // "(1,234.5)": negative numbers may be in brackets, or before their sign
	Bound          bool   // "<1,234.5": a bound such as < 5, >= 89 or 89+ is read as the number itself
}

// String returns the form as it is written; it is [ParseNumberForm]'s inverse.
func (f NumberForm) String() string {
	text := f.Prefix + f.Base + f.Suffix
	if f.Account {
		text = "(" + text + ")"
	}
	if f.Bound {
		text = "<" + text
	}
	return text
}

// ParseNumberForm returns the form that a text shows, and whether it shows one.
func ParseNumberForm(text string) (f NumberForm, ok bool) {
	text, f.Bound = strings.CutPrefix(text, "<")
	if strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") {
		text, f.Account = text[1:len(text)-1], true
	}
	for _, f.Base = range []string{FormPlain, FormComma, FormPoint, FormSpace, FormApostrophe} {
		if f.Prefix, f.Suffix, ok = strings.Cut(text, f.Base); ok {
			break
		}
	}
	return f, ok && !strings.ContainsAny(f.Prefix+f.Suffix, "0123456789()<>+-.,")
}
