package tableinit

import (
	"regexp"
	"slices"
	"strings"

	"resolwe/format/table"
	"resolwe/format/tablefile"
)

// numbered matches the digits in which the names of a table's parts differ.
var numbered = regexp.MustCompile(`[0-9]+`)

// joinParts makes one table of files whose names differ only in digits, if they have the same format and columns. It records those that do
// not.
func (d *draft) joinParts(dir string) {
	groups := map[string][]*tabular{} // by glob
	globOf := func(t *tabular) string { return numbered.ReplaceAllLiteralString(t.glob, "[0-9]*") }
	for _, t := range d.tables {
		if t.problem == nil {
			groups[globOf(t)] = append(groups[globOf(t)], t)
		}
	}
	left := d.tables[:0]
	for _, t := range d.tables {
		glob := globOf(t)
		parts := groups[glob]
		switch {
		case len(parts) < 2 || t.problem != nil:
			left = append(left, t)
		case !isOne(parts, glob, dir):
			if t == parts[0] {
				d.note("%s are tables of their own: the header, separator or encoding is not the same in all", partNames(parts))
			}
			left = append(left, t)
		case t == parts[0]:
			left = append(left, whole(parts, glob))
		}
	}
	d.tables = left
	nameTables(d.tables)
}

// isOne reports whether files are parts of one table and all files that a glob matches.
func isOne(parts []*tabular, glob, dir string) bool {
	found, err := tablefile.Files(&table.Spec{Glob: glob}, dir)
	if err != nil || len(found) != len(parts) {
		return false
	}
	first := parts[0]
	return !slices.ContainsFunc(parts, func(t *tabular) bool {
		return t.spec.NoHeader != first.spec.NoHeader || t.spec.Delimiter != first.spec.Delimiter || t.spec.Encoding != first.spec.Encoding ||
			len(t.header) != len(first.header) || !t.spec.NoHeader && !slices.Equal(t.header, first.header)
	})
}

// whole returns the table made of some parts.
func whole(parts []*tabular, glob string) *tabular {
	out := *parts[0]
	base, _ := endingOf(out.file)
	out.base = strings.Trim(numbered.ReplaceAllLiteralString(base, ""), "-_. ()")
	if out.base == "" {
		out.base = "table"
	}
	out.files = partNames(parts)
	out.glob, out.file, out.paths = glob, glob, nil
	for _, p := range parts {
		out.paths = append(out.paths, p.paths...)
	}
	return &out
}

// partNames lists files, or the first and the last of many.
func partNames(parts []*tabular) string {
	if len(parts) == 2 {
		return clip(parts[0].file) + " and " + clip(parts[1].file)
	}
	return itoa(len(parts)) + " files, " + clip(parts[0].file) + " to " + clip(parts[len(parts)-1].file)
}
