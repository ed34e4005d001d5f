package tableinit

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// isNull reports whether a text may stand for an empty cell. Words do only where a column of the table holds numbers or dates beside
// them: else they may be names.
func isNull(cell []byte) bool {
	switch string(cell) {
	case `\N`, "NULL", "null", "N/A", "nan", "NaN", "-", "?":
		return true
	}
	return isNullWord(string(cell))
}

func isNullWord(text string) bool { return text == "NA" || text == "None" }

// withoutNulls returns the cells, empty where they may be, and counts these.
func (t *tabular) withoutNulls(cells, dst [][]byte) [][]byte {
	dst = append(dst[:0], cells...)
	for i, c := range t.columns {
		if i < len(dst) && isNull(dst[i]) {
			if c.nulls == nil {
				c.nulls = map[string]int{}
			}
			c.nulls[string(dst[i])]++
			dst[i] = nil
		}
	}
	return dst
}

// settleNulls says which texts of a table that was read are empty cells. The others go back to their columns.
func (t *tabular) settleNulls() {
	found := map[string]bool{}
	for _, c := range t.columns {
		for text := range c.nulls {
			if !isNullWord(text) || slices.ContainsFunc(c.ways, func(w reading) bool { return !w.failed }) {
				found[text] = true
			}
		}
	}
	t.spec.Nulls = slices.Sorted(maps.Keys(found))
	for _, c := range t.columns {
		for _, text := range slices.Sorted(maps.Keys(c.nulls)) {
			if found[text] {
				continue
			}
			c.rows -= c.nulls[text]
			for range c.nulls[text] {
				c.add([]byte(text))
			}
			delete(c.nulls, text)
		}
	}
}

// emptiness says how many cells of a column are empty, and how they are written.
func (c *column) emptiness() string {
	n := c.rows - c.filled
	if n == 0 || c.filled == 0 {
		return ""
	}
	var texts []string
	for _, text := range slices.Sorted(maps.Keys(c.nulls)) {
		texts = append(texts, fmt.Sprintf("%s: %d", text, c.nulls[text]))
	}
	if len(texts) == 0 {
		return fmt.Sprintf("; %d cells are empty", n)
	}
	return fmt.Sprintf("; %d cells are empty (%s)", n, strings.Join(texts, ", "))
}
