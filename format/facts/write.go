package facts

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// lineWidth is the width at which lists of entities are broken.
const lineWidth = 110

// Write writes a subgraph as text. It reads back as the same subgraph, local ids included, whatever bytes its names contain. The schema is
// that of the subgraph's stream, which must have been read with names.
func Write(w io.Writer, s *subgraph.Subgraph, schema *mln.Schema) error {
	if err := s.Check(schema); err != nil {
		return fmt.Errorf("subgraph %s: %w", clip(s.Name), err)
	}
	s = s.Complete(schema)
	var out strings.Builder
	out.WriteString("@subgraph " + nameText(s.Name))
	if s.Center != "" {
		out.WriteString(" center=" + mln.FormatConstant(s.Center))
	}
	if s.Fold >= 0 {
		out.WriteString(" fold=" + strconv.Itoa(s.Fold))
	}
	if s.Time.Known {
		out.WriteString(" time=" + s.Time.String())
	}
	out.WriteByte('\n')
	constants := make([][]string, len(s.Domains))
	for t, d := range s.Domains {
		constants[t] = make([]string, d.Size)
		for i := range d.Size {
			constants[t][i] = schema.FormatEntity(t, d.Names.Name(uint32(i)))
		}
		writeEntities(&out, schema.Types[t], constants[t])
	}
	for i := range s.Relations {
		p := &schema.Predicates[i]
		for k, t := range s.Relations[i].Tables() {
			writeTuples(&out, truthMark(subgraph.True+subgraph.Truth(k))+p.Name, p.Args, t, constants)
		}
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// writeEntities lists a domain, so that its order does not depend on the facts.
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

func writeTuples(out *strings.Builder, pred string, args []int, t *subgraph.Table, constants [][]string) {
	atom := make([]string, len(args))
	for i := range t.Len() {
		for c, typ := range args {
			atom[c] = constants[typ][t.Cols[c][i]]
		}
		out.WriteString(pred + "(" + strings.Join(atom, ", ") + ")\n")
	}
}

// nameText returns a subgraph's name as written in a file: quoted unless it is a word.
func nameText(name string) string {
	strange := func(r rune) bool { return r >= utf8.RuneSelf || !isWord(byte(r)) }
	if name != "" && strings.IndexFunc(name, strange) < 0 {
		return name
	}
	return mln.FormatConstant(name)
}

// atomText returns an atom as written in a file.
func atomText(predicate string, args []string) string {
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = mln.FormatConstant(a)
	}
	return predicate + "(" + strings.Join(names, ", ") + ")"
}

// truthMark returns the mark before an atom of that truth.
func truthMark(t subgraph.Truth) string {
	switch t {
	case subgraph.False:
		return "!"
	case subgraph.Unknown:
		return "?"
	case subgraph.True:
	}
	return ""
}
