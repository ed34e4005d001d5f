package tablefile_test

import (
	"encoding/binary"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"resolwe/format/table"
	"resolwe/format/tablefile"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

// utf16Of encodes a text, with its mark where that is wanted.
func utf16Of(text string, order binary.AppendByteOrder, mark bool) (out []byte) {
	if mark {
		text = "\ufeff" + text
	}
	for _, c := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, c)
	}
	return out
}

// TestLoad_Encodings loads one text from all encodings.
func TestLoad_Encodings(t *testing.T) {
	t.Parallel()
	const text = "naïve,b\r\n\"ä\n€\",1\r\nüñ,2\r\n"
	const beyond = "naïve,b\n𝄞ä,1\n"
	tests := []struct {
		name, file, encoding string
		content              []byte
		first                string
	}{
		{"utf8", "t.csv", "", []byte(text), "ä\n€"},
		{"marked", "t.csv", "", []byte("\ufeff" + text), "ä\n€"},
		{"latin1", "t.csv", "latin1", []byte("na\xefve,b\n\xe4\x80,1\n"), "ä€"},
		{"utf16le", "t.csv", "", utf16Of(text, binary.LittleEndian, true), "ä\n€"},
		{"utf16be", "t.csv", "", utf16Of(text, binary.BigEndian, true), "ä\n€"},
		{"unmarked", "t.csv", "utf16le", utf16Of(text, binary.LittleEndian, false), "ä\n€"},
		{"said and marked", "t.csv", "utf16be", utf16Of(text, binary.BigEndian, true), "ä\n€"},
		{"beyond", "t.csv.gz", "", archivetest.Gzip(utf16Of(beyond, binary.LittleEndian, true)), "𝄞ä"},
	}
	for _, tt := range tests {
		dir, u, s := t.TempDir(), universe(), spec(tt.file, column("naïve"), value("int", "b"))
		s.Encoding = tt.encoding
		write(t, dir, tt.file, tt.content)
		got, err := new(tablefile.Reader).Load(t.Context(), u, s, dir, nil)
		check.OK(t, err)
		if row := loaded(u, got)[0]; !cmp.Equal(row, []any{tt.first, int64(1)}) {
			t.Errorf("%s: got %q, want %q and 1", tt.name, row, tt.first)
		}
	}
}

// TestLoad_Forms reads values in other ways than the usual ones.
func TestLoad_Forms(t *testing.T) {
	t.Parallel()
	tests := []struct {
		function, form, cell string
		want                 any // nil for a cell that is none
	}{
		{"date", "dmy", "2.1.1970", int64(1)},
		{"date", "mdy", "2.1.1970", int64(31)},
		{"time", "ymd", "1970/01/01 00:01", int64(60)},
		{"time", "ms", "1999", int64(1)},
		{"int", "1,234.5", "1,234,567", int64(1234567)},
		{"int", "1,234.5", "-1234", int64(-1234)},
		{"int", "1,234.5", "1,23", nil},
		{"int", "1,234.5", "1,2345", nil},
		{"int", "1,234.5", "1,234.5", nil},
		{"int", "1,234.5", ",234", nil},
		{"float", "1,234.5", "1,234.56", 1234.56},
		{"float", "1,234.5", "1234.5", 1234.5},
		{"float", "1,234.5", "1,23.5", nil},
		{"float", "1.234,5", "1.234,5", 1234.5},
		{"float", "1.234,5", "-,5", -.5},
		{"float", "1.234,5", "1,234.5", nil},
		{"float", "1 234,5", "12 345 678,9", 12345678.9},
		{"float", "1 234,5", "1234 567", nil},
		{"float", "1 234,5", "", nil},
		{"float", "1 234,5", "12\u00a0345\u202f678,9", 12345678.9},
		{"float", "1'234.5", "1'234.5", 1234.5},
		{"float", "$1,234.5", "-$1,234.50", -1234.5},
		{"float", "$1,234.5", "$ -3", -3.},
		{"float", "$1,234.5", "7", 7.},
		{"float", "$1,234.5", "€7", nil},
		{"float", "$1,234.5", "$", nil},
		{"float", "$1,234.5", "-$-3", nil},
		{"float", "1.234,5 €", "1.234,50\u00a0€", 1234.5},
		{"float", "1234.5%", "12.5 %", 12.5},
		{"float", "1234.5%", "12.5", nil},
		{"int", "($1,234.5)", "($1,234)", int64(-1234)},
		{"int", "($1,234.5)", "$1,234-", int64(-1234)},
		{"int", "($1,234.5)", "(-1)", nil},
		{"int", "($1,234.5)", "\u22125", int64(-5)},
		{"int", "1,234.5", "(5)", nil},
		{"float", "<1234.5", "> 89", 89.},
		{"float", "<1234.5", "<=.5", .5},
		{"int", "<1234.5", "89+", int64(89)},
		{"int", "<1234.5", "≥-3", int64(-3)},
		{"int", "<1234.5", "<", nil},
		{"int", "1234.5", "<5", nil},
	}
	for _, tt := range tests {
		dir, u := t.TempDir(), universe()
		c := value(tt.function, "x")
		c.Form = tt.form
		write(t, dir, "t.csv", []byte("x,y\n\""+tt.cell+"\",\n"))
		got, err := new(tablefile.Reader).Load(t.Context(), u, spec("t.csv", c), dir, nil)
		if (err == nil) != (tt.want != nil) || err == nil && loaded(u, got)[0][0] != tt.want {
			t.Errorf("%s as %s: %q: got %v and %v, want %v", tt.function, tt.form, tt.cell, got, err, tt.want)
		}
		if read := tablefile.ReadValue(tt.function, tt.form); tt.want != nil {
			n, ok := read([]byte(tt.cell))
			if want, whole := tt.want.(int64); !ok || whole && n != want {
				t.Errorf("%s as %s: %q: ReadValue gives %d, %v", tt.function, tt.form, tt.cell, n, ok)
			}
		} else if _, ok := read([]byte(tt.cell)); ok {
			t.Errorf("%s as %s: %q: ReadValue gives a value", tt.function, tt.form, tt.cell)
		}
	}
	if tablefile.ReadValue("date", "my") != nil || tablefile.ReadValue("", "") != nil {
		t.Error("got a reader of a form that there is not")
	}
	s := spec("t.csv", table.ColumnSpec{Func: "int", Form: "dmy", Refs: []table.Ref{{Header: "x"}}})
	check.Fails(t, check.Err(new(tablefile.Reader).Load(t.Context(), universe(), s, t.TempDir(), nil)), "a wrong form")
}

func TestParseFloat(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		want float64
		ok   bool
	}{
		{"0.121", 0.121, true},
		{"-1e-3", -0.001, true},
		{"+5", 5, true},
		{"1E400", 0, false},
		{"NaN", 0, false},
		{"Inf", 0, false},
		{"0x10", 0, false},
		{"1_000", 0, false},
		{"1,5", 0, false},
		{"", 0, false},
	}
	for _, tt := range tests {
		if got, ok := tablefile.ParseFloat([]byte(tt.text)); ok != tt.ok || ok && got != tt.want {
			t.Errorf("ParseFloat(%q) = %v, %v, want %v, %v", tt.text, got, ok, tt.want, tt.ok)
		}
	}
}
