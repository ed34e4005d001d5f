package building

import (
	"strconv"
	"strings"

	"resolwe/format/origin"
)

// note adds what a recipe says of columns in its comments, as docs/recipes.md describes them: why some are not read, and which a person vouched for.
func note(o *origin.Origin, recipe string) {
	for line := range strings.Lines(recipe) {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "//= ")
		if !ok {
			continue
		}
		word, rest, _ := strings.Cut(text, " ")
		table, rest, _ := quotedPrefix(rest)
		column, rest, named := quotedPrefix(strings.TrimPrefix(rest, " "))
		switch {
		case word == "drafted":
			o.Drafted = true
		case word == "trusted" && table != "" && named:
			o.Trusted = append(o.Trusted, clip(table+"."+column))
		case word == "trusted" && table != "":
			o.Trusted = append(o.Trusted, clip(table))
		case (word == "hidden" || word == "unused") && named:
			use := map[string]string{"hidden": "hidden", "unused": "not used"}[word]
			unread(o, clip(table), clip(column), use, clip(strings.TrimPrefix(rest, ": ")))
		}
	}
}

// unread says of a column why it is not used, unless it is.
func unread(o *origin.Origin, table, column, use, reason string) {
	for i := range o.Columns {
		if c := &o.Columns[i]; c.Table == table && c.Name == column {
			if c.Use != "used" {
				c.Use, c.Reason = use, reason
			}
			return
		}
	}
	o.Columns = append(o.Columns, origin.Column{Table: table, Name: column, Use: use, Reason: reason})
}

// quotedPrefix takes a quoted text from the start of another.
func quotedPrefix(text string) (value, rest string, ok bool) {
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil {
		return "", text, false
	}
	value, err = strconv.Unquote(quoted)
	return value, text[len(quoted):], err == nil
}
