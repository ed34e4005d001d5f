package tableschema_test

import (
	"bytes"
	"strings"
	"testing"

	"resolwe/format/lex"
	"resolwe/format/tableschema"
	"resolwe/internal/test/check"
)

const written = `{
 "tables": [
  {
   "name": "staff",
   "file": "staff.csv",
   "comment": "people <who> work \"here\"",
   "columns": [
    {
     "name": "id",
     "type": "integer",
     "nullable": false,
     "comment": "é"
    },
    {
     "name": "boss",
     "nullable": true
    }
   ],
   "primary_key": [
    "id"
   ],
   "unique_keys": [
    [
     "boss",
     "id"
    ]
   ],
   "foreign_keys": [
    {
     "columns": [
      "boss"
     ],
     "table": "staff",
     "references": [
      "id"
     ]
    }
   ]
  }
 ]
}
`

// What is written is read, with the position of each name, and written again.
func TestParse(t *testing.T) {
	t.Parallel()
	s, err := tableschema.Parse("schema.json", []byte("\ufeff"+written))
	check.OK(t, err)
	var b bytes.Buffer
	check.OK(t, s.Write(&b))
	check.Equal(t, "written again", b.String(), written)
	staff := s.Tables[0]
	check.Is(t, staff.Name.At, lex.Position{File: "schema.json", Line: 4, Column: 12}, "the table")
	check.Is(t, staff.ForeignKeys[0].References[0].At, lex.Position{File: "schema.json", Line: 35, Column: 7}, "the reference")
	check.Is(t, staff.Column("boss") == staff.Columns[1] && staff.Column("x") == nil, true, "columns by name")
	minimal, err := tableschema.Parse("s", []byte(`{"tables":[{"é":1}]}`))
	check.Is(t, minimal == nil && err.Error() == "s:1:13: é has no meaning here\n"+`{"tables":[{"é":1}]}`+"\n            ^", true, "position: %v", err)
}

func TestParse_Errors(t *testing.T) {
	t.Parallel()
	table := func(members string) string { return `{"tables": [{"name": "a", ` + members + `}]}` }
	for _, tt := range []struct{ text, want string }{
		{"", "s:1:1: it ends too early"},
		{"\n\n{", "s:3:2: it ends too early"},
		{"[]", "s:1:1: a schema is an object"},
		{"{} x", "s:1:4: nothing may follow"},
		{`{"tables": {}}`, "s:1:12: a list of tables is missing"},
		{`{"tabels": []}`, `s:1:2: tabels has no meaning here; did you mean "tables"?`},
		{`{"tables": [], "tables": []}`, "s:1:16: tables stands twice"},
		{`{"tables": [{"file": "x"}]}`, "s:1:13: the table has no name"},
		{`{"tables": [{"name": "a"},` + "\n" + `{"name": "a"}]}`, `s:2:10: table "a" is declared twice`},
		{`{"tables": [{"name": 1}]}`, "s:1:22: a text is missing"},
		{`{"tables": [{"name": "a",}]}`, "s:1:26: it is not JSON"},
		{table(`"columns": ["x"]`), "s:1:39: a column is an object"},
		{table(`"columns": [{"type": "text"}]`), "s:1:39: the column has no name"},
		{table(`"columns": [{"name": "x"}, {"name": "x"}]`), `column "x" is declared twice`},
		{table(`"columns": [{"name": "x", "type": "txt"}]`), `s:1:61: there is no type "txt"`},
		{table(`"columns": [{"name": "x", "nullable": 1}]`), "nullable is true or false"},
		{table(`"primary_key": "id"`), "s:1:42: a list of columns is missing"},
		{table(`"unique_keys": ["id"]`), "s:1:43: a list of columns is missing"},
		{table(`"foreign_keys": [{"columns": ["x"]}]`), "a foreign key has columns and the table"},
		{table(`"foreign_keys": [{"columns": ["x"], "table": "b", "references": []}]`), "as many columns"},
		{table(`"comment": ` + strings.Repeat("[", 1<<20)), "a text is missing"},
		{strings.Repeat(" ", tableschema.MaxSize+1), "s:1:1: it is larger than 16 MiB"},
	} {
		_, err := tableschema.Parse("s", []byte(tt.text))
		shown := tt.text[:min(len(tt.text), 200)]
		if err == nil {
			t.Errorf("%s: got no error, want %s", shown, tt.want)
			continue
		}
		check.ErrorAs[*tableschema.Error](t, err, "type of the error")
		check.Contains(t, err.Error(), tt.want, "error of %s", shown)
	}
}

// Any bytes are read, or refused with a position in them.
func FuzzParse(f *testing.F) {
	f.Add([]byte(written))
	f.Add([]byte("{\"tables\":[{\"name\":\"\\ud800\",\"foreign_keys\":[{\"columns\":[\"\"],\"table\":\"\xff\"}]}]}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := tableschema.Parse("s", data)
		if err != nil {
			at := check.ErrorAs[*tableschema.Error](t, err, "type of the error").At().Pos
			check.AtMost(t, at.Line, 1+bytes.Count(data, []byte("\n")), "line")
			return
		}
		var once, twice bytes.Buffer
		check.OK(t, s.Write(&once))
		again, err := tableschema.Parse("s", once.Bytes())
		check.OK(t, err)
		check.OK(t, again.Write(&twice))
		check.Equal(t, "written again", twice.String(), once.String())
	})
}
