package subgraph

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"resolwe/format/mln"
)

// lineWidth is where the text of a subgraph breaks lists of entities.
const lineWidth = 110

// WriteText writes the subgraph as .db text that reads back as the same subgraph, local ids included; but a name with a
// line break has no form in .db text that reads back. The schema is that of the subgraph's stream, whose reader was
// asked for names.
func (s *Subgraph) WriteText(w io.Writer, schema *mln.Schema) error {
	if err := s.check(schema); err != nil {
		return fmt.Errorf("subgraph %s: %s", printable(s.Name), err.Error())
	}
	s = s.Complete(schema)
	var out strings.Builder
	out.WriteString("@subgraph " + quote(s.Name, isNameByte))
	if s.Center != "" {
		out.WriteString(" center=" + quoteConstant(s.Center))
	}
	if s.Fold >= 0 {
		out.WriteString(" fold=" + strconv.Itoa(s.Fold))
	}
	out.WriteByte('\n')
	constants := make([][]string, len(s.Domains))
	for t, d := range s.Domains {
		constants[t] = make([]string, d.Size)
		for i := range d.Size {
			constants[t][i] = quoteConstant(d.Names.Name(uint32(i)))
		}
		writeEntities(&out, schema.Types[t], constants[t])
	}
	for i := range s.Relations {
		p := &schema.Predicates[i]
		for k, t := range s.Relations[i].tables() {
			writeTuples(&out, [3]string{"", "!", "?"}[k]+p.Name, p.Args, t, constants)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// writeEntities lists a domain, so that its order does not hang on the facts.
func writeEntities(out *strings.Builder, typ string, names []string) {
	width := 0
	for i, name := range names {
		if width+len(name) > lineWidth {
			out.WriteByte('\n')
			width = 0
		}
		if i == 0 || width == 0 {
			out.WriteString("@entity " + typ)
			width = len("@entity ") + len(typ)
		}
		out.WriteString(" " + name)
		width += 1 + len(name)
	}
	if len(names) > 0 {
		out.WriteByte('\n')
	}
}

func writeTuples(out *strings.Builder, pred string, args []int, t *Table, constants [][]string) {
	for i := range t.Len() {
		out.WriteString(pred)
		for c, typ := range args {
			out.WriteString([]string{"(", ", "}[min(c, 1)] + constants[typ][t.Cols[c][i]])
		}
		out.WriteString(")\n")
	}
}

// quoteConstant writes a constant as the task language does: quoted where it is not a plain name.
func quoteConstant(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' || strings.HasPrefix(s, "_") {
		return quote(s, func(byte) bool { return false })
	}
	return quote(s, isNameByte)
}

var quoter = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// quote quotes what is empty or has a byte that is not plain.
func quote(s string, plain func(byte) bool) string {
	for i := range len(s) {
		if !plain(s[i]) {
			return `"` + quoter.Replace(s) + `"`
		}
	}
	if s == "" {
		return `""`
	}
	return s
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
