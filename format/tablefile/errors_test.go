package tablefile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"resolwe/format/subgraph"
	"resolwe/format/table"
	"resolwe/format/tablefile"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

func TestLoad_UsageErrors(t *testing.T) {
	t.Parallel()
	prefixed := func(w string, c table.ColumnSpec) table.ColumnSpec {
		c.Prefix = w
		return c
	}
	type nested struct {
		X struct {
			Y int `parquet:"y"`
		} `parquet:"x"`
		L []int     `parquet:"l,list"`
		U [16]byte  `parquet:"u"`
		R []float32 `parquet:"r"`
	}
	type texts struct {
		S string `parquet:"s,dict"`
		B []byte `parquet:"b"`
	}
	files := map[string]string{
		"nul.parquet":  string(parquetOf(t, []texts{{"a", []byte("\xff")}, {"b\x00", nil}})),
		"friends.csv":  "userID,friendID,friendID,day\n1,2,3,4\n",
		"odd.name":     "x\n",
		"t.tsv":        "x\n",
		"n.parquet":    string(parquetOf(t, []nested{{}})),
		"n.parquet.gz": "",
		"d/t.csv":      "x\n",
		"wide.csv":     strings.Repeat("c,", 30) + "\x1b[0m\n",
	}
	const at = "my.recipe:3:7: table t: "
	placeless := spec("no.tsv", column("x"))
	placeless.Pos.File = ""
	tests := []struct {
		name string
		spec *table.Spec
		kind error
		want string
	}{
		{"missing file", spec("frends.csv", column("x")), new(tablefile.UsageError), at + `DIR/frends.csv: there is no such file; did you mean "friends.csv"?`},
		{"missing file without a like", spec("zzz.tsv", column("x")), new(tablefile.UsageError), at + `DIR/zzz.tsv: there is no such file; correct its name, or say in which folder the tables are`},
		{"missing file in a folder", spec("d/u.csv", column("x")), new(tablefile.UsageError), at + `DIR/d/u.csv: there is no such file; did you mean "d/t.csv"?`},
		{"missing folder", spec("e/t.csv", column("x")), new(tablefile.UsageError), at + `DIR/e/t.csv: there is no such file; correct its name, or say in which folder the tables are`},
		{"file as a folder", spec("t.tsv/t.csv", column("x")), new(tablefile.UsageError), at + `DIR/t.tsv/t.csv: there is no such file; correct its name, or say in which folder the tables are`},
		{"folder as a file", spec("d", column("x")), new(tablefile.UsageError), at + `DIR/d: there is no such file; correct its name, or say in which folder the tables are`},
		{"glob without match", spec("{w}.friends.csv", column("x")), new(tablefile.UsageError), at + `DIR/{w}.friends.csv: no file matches; correct its name, or say in which folder the tables are`},
		{"glob within files", spec("*/*/t.csv", column("x")), new(tablefile.UsageError), at + `DIR/*/*/t.csv: no file matches; correct its name, or say in which folder the tables are`},
		{"no place", placeless, new(tablefile.UsageError), `table t: DIR/no.tsv: there is no such file; did you mean "t.tsv"?`},
		{"no file named", spec("", column("x")), new(tablefile.UsageError), at + `no file is named`},
		{"open list", spec("[a.csv", column("x")), new(tablefile.UsageError), at + `[a.csv: a bracket is not closed in "[a.csv", or holds no name`},
		{"wildcard without a name", spec("{}.csv", column("x")), new(tablefile.UsageError), at + `{}.csv: a bracket is not closed in "{}.csv", or holds no name`},
		{"wildcard without a name before a star", spec("{}*.csv", column("x")), new(tablefile.UsageError), at + `{}*.csv: a bracket is not closed in "{}*.csv", or holds no name`},
		{"list backwards", spec("[b-a].csv", column("x")), new(tablefile.UsageError), at + "[b-a].csv: error parsing regexp: invalid character class range: `b-a`"},
		{"unknown ending", spec("odd.name", column("x")), new(tablefile.UsageError), at + `DIR/odd.name: the name ends with none of .csv, .tsv, .dat, .txt, .jsonl, .ndjson and .parquet; say which delimiter it has`},
		{"parquet in an archive", spec("n.parquet.gz", column("x")), new(tablefile.UsageError), at + `DIR/n.parquet.gz: a Parquet file is not read from an archive; unpack it`},
		{"missing column", spec("friends.csv", column("userId")), new(tablefile.UsageError), at + `DIR/friends.csv: there is no column "userId"; did you mean "userID"?; the file has: "userID", "friendID", "friendID", "day"`},
		{"missing column without a like", spec("t.tsv", column("weight")), new(tablefile.UsageError), at + `DIR/t.tsv: there is no column "weight"; the file has: "x"`},
		{"missing column of many", spec("wide.csv", column("x")), new(tablefile.UsageError), at + `DIR/wide.csv: there is no column "x"; the file has: ` + strings.Repeat(`"c", `, 20) + `..`},
		{"missing position", spec("friends.csv", nth("", 5)), new(tablefile.UsageError), at + `DIR/friends.csv: there is no column #5; the file has 4`},
		{"column twice", spec("friends.csv", column("friendID")), new(tablefile.UsageError), at + `DIR/friends.csv: two columns are named "friendID"; say #n`},
		{"missing column of parquet", spec("n.parquet", column("y")), new(tablefile.UsageError), at + `DIR/n.parquet: there is no column "y"; the file has: "x", "l", "u", "r"`},
		{"parquet group", spec("n.parquet", column("x")), new(tablefile.UsageError), at + `DIR/n.parquet: column "x" is of type STRUCT, which is not read; write it as numbers, strings, dates or timestamps`},
		{"parquet list", spec("n.parquet", column("l")), new(tablefile.UsageError), at + `DIR/n.parquet: column "l" is of type LIST, which is not read; make a table with a row for each element, in DuckDB: COPY (SELECT KEY, unnest("l") AS element FROM 'n.parquet') TO 'elements.parquet', where KEY is the column that names the row`},
		{"parquet bytes", spec("n.parquet", column("u")), new(tablefile.UsageError), at + `DIR/n.parquet: column "u" is of type FIXED_LEN_BYTE_ARRAY, which is not read; write it as numbers, strings, dates or timestamps`},
		{"parquet repeated", spec("n.parquet", column("r")), new(tablefile.UsageError), at + `DIR/n.parquet: column "r" is of type LIST, which is not read; make a table with a row for each element, in DuckDB: COPY (SELECT KEY, unnest("r") AS element FROM 'n.parquet') TO 'elements.parquet', where KEY is the column that names the row`},
		{"parquet NUL", spec("nul.parquet", column("s")), new(tablefile.UsageError), at + `DIR/nul.parquet: row 2: column "s": a text has a NUL byte; write the file without it`},
		{"parquet binary", spec("nul.parquet", column("b")), new(tablefile.UsageError), at + `DIR/nul.parquet: row 1: column "b": a value is binary, not text; leave the column out, or write it as text`},
		{"wildcard that is not there", spec("{v}.tsv", prefixed("w", column("x"))), new(tablefile.UsageError), at + `there is no {w} in "{v}.tsv"`},
	}
	dir := t.TempDir()
	for name, text := range files {
		write(t, dir, name, []byte(text))
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := new(tablefile.Reader).Load(t.Context(), universe(), tt.spec, dir, nil)
			checkError(t, err, dir, tt.kind, tt.want)
			var usage *tablefile.UsageError
			if !errors.As(err, &usage) || !usage.IsUsage() || usage.Pos != tt.spec.Pos {
				t.Errorf("%v is no usage error at the table's place", err)
			}
			if errors.Is(err, subgraph.ErrCorrupt) {
				t.Errorf("%v matches ErrCorrupt", err)
			}
			missing := strings.Contains(tt.want, "there is no such file") || strings.Contains(tt.want, "no file matches")
			if errors.Is(err, fs.ErrNotExist) != missing {
				t.Errorf("%v matches fs.ErrNotExist: %v", err, !missing)
			}
		})
	}
}

// checkError compares an error's type and its message, in which DIR stands for the folder.
func checkError(t *testing.T, err error, dir string, kind error, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("got no error, want %s", want)
	}
	check.Equal(t, "result", strings.ReplaceAll(err.Error(), dir, "DIR"), want)
	if !errors.As(err, reflect.New(reflect.TypeOf(kind)).Interface()) {
		t.Errorf("got a %T, want a %T", err, kind)
	}
}

func TestLoad_DamageErrors(t *testing.T) {
	t.Parallel()
	type optional struct {
		X *string `parquet:"x,optional"`
		Y string  `parquet:"y"`
	}
	some := "some"
	long := strings.Repeat("1\t2\n", 100_000)
	packed := archivetest.Gzip([]byte("x\ty\n" + long))
	flipped := bytes.Clone(packed)
	flipped[len(flipped)-5] ^= 1 // of the checksum
	zst := archivetest.Zstd([]byte("x\ty\n" + long))
	file := parquetOf(t, []optional{{&some, "a"}, {nil, "b\xff"}})
	const (
		cut    = ": the file is cut off or damaged ("
		again  = "); fetch or make it again"
		remedy = "; correct the cell or leave out the row"
		nul    = `: the text has a NUL byte here; remove it, or where the text is UTF-16, write encoding "utf16le" behind the file's name in the recipe`
	)
	tests := []struct {
		name, file, text string
		columns          []table.ColumnSpec
		kind             error
		want             string
	}{
		{"row too short", "t.csv", "x,y,z\n1,2,3\n\n1,ü\n", []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.csv:4:4: a row of 2 cells where the first has 3; complete the row`},
		{"row too long", "t.csv", "x,y\nü,2,3\n", []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.csv:2:5: a row of 3 cells where the first has 2; is a delimiter within a cell? Put that cell in quotes, or choose another delimiter`},
		{"quoted row too long", "t.csv", "x,y\n\"a\nb\",\"ü\",3\n", []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.csv:3:8: a row of 3 cells where the first has 2; is a delimiter within a cell? Put that cell in quotes, or choose another delimiter`},
		{"quoted row too short", "t.csv", "x,y\n\"a\nb\"\n", []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.csv:3:3: a row of 1 cells where the first has 2; complete the row`},
		{"bad number", "t.tsv", "x\tn\na\t12x\n", []table.ColumnSpec{value("int", "n")}, new(tablefile.DamageError), `DIR/t.tsv:2:3: column "n": "12x" is not a whole number` + remedy},
		{"number too large", "t.tsv", "n\n9223372036854775808\n", []table.ColumnSpec{value("int", "n")}, new(tablefile.DamageError), `DIR/t.tsv:2:1: column "n": "9223372036854775808" is not a whole number` + remedy},
		{"number with a fraction", "t.tsv", "n\n1.5\n", []table.ColumnSpec{value("int", "n")}, new(tablefile.DamageError), `DIR/t.tsv:2:1: column "n": "1.5" is not a whole number` + remedy},
		{"number missing", "t.csv", "x,n\na,\n", []table.ColumnSpec{value("int", "n")}, new(tablefile.DamageError), `DIR/t.csv:2:3: column "n": the cell is empty, it should hold a whole number; where cells may be empty, write: optional int(n)`},
		{"bad float", "t.csv", "x,n\n\"a\n\",NaN\n", []table.ColumnSpec{value("float", "n")}, new(tablefile.DamageError), `DIR/t.csv:3:3: column "n": "NaN" is not a number` + remedy},
		{"bad date", "t.tsv", "x\tday\na\t2023-02-29\n", []table.ColumnSpec{value("date", "day")}, new(tablefile.DamageError), `DIR/t.tsv:2:3: column "day": "2023-02-29" is not a date (as in 2009-04-01)` + remedy},
		{"bad day of a date", "t.tsv", "y\tm\td\n2023\t2\t29\n", []table.ColumnSpec{value("date", "y", "m", "d")}, new(tablefile.DamageError), `DIR/t.tsv:2:8: column "d": "29" is not part of a valid date` + remedy},
		{"bad year of a date", "t.tsv", "y\tm\td\n-\t2\t29\n", []table.ColumnSpec{value("date", "y", "m", "d")}, new(tablefile.DamageError), `DIR/t.tsv:2:1: column "y": "-" is not part of a valid date` + remedy},
		{"bad time", "t.tsv", "at\nnoon\n", []table.ColumnSpec{nth("time", 1)}, new(tablefile.DamageError), `DIR/t.tsv:2:1: column "#1": "noon" is not a time (as in 2009-04-01T19:30:12Z, or seconds since 1970)` + remedy},
		{"name missing", "t.tsv", "x\ty\n\ta\n", []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.tsv:2:1: column "x": the cell is empty, it should hold a name; where cells may be empty, write: optional x`},
		{"long cell", "t.tsv", "n\n" + strings.Repeat("ü", 99) + "\n", []table.ColumnSpec{value("int", "n")}, new(tablefile.DamageError), `DIR/t.tsv:2:1: column "n": "` + strings.Repeat("ü", 30) + `..." is not a whole number` + remedy},
		{"encoding", "t.tsv", "x\ty\nä\tM\xfcnchen\n", []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.tsv:2:4: the text is not UTF-8 here; where it is Latin-1, write encoding "latin1" behind the file's name in the recipe`},
		{"encoding of a quoted cell", "t.csv", "x\n\"a\nb\xff\"\n", []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.csv:3:2: the text is not UTF-8 here; where it is Latin-1, write encoding "latin1" behind the file's name in the recipe`},
		{"NUL", "t.csv", "x,y\nü,a\nü,\"b\n\x00\"\n", []table.ColumnSpec{column("y")}, new(tablefile.DamageError), `DIR/t.csv:4:1` + nul},
		{"UTF-16 without mark", "t.csv", "x\x00\n\x00a\x00", []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.csv:1:2` + nul},
		{"half of UTF-16", "t.csv", "\xff\xfex\x00\n", []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.csv:1:1: the file is cut off or damaged (unexpected EOF); fetch or make it again`},
		{"cut within a character", "t.csv", "\xff\xfex\x00\n\x00a\x00\x3d\xd8", []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.csv:2:1: the file is cut off or damaged (unexpected EOF); fetch or make it again`},
		{"cut within a character of the first line", "t.csv", "\xfe\xff\x00x\xd8\x3d", []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.csv:1:1: the file is cut off or damaged (unexpected EOF); fetch or make it again`},
		{"half a surrogate", "t.csv", "\xfe\xff\x00x\x00\n\xd8\x00\x00a", []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.csv:2:1: the file is cut off or damaged (half a character of UTF-16); fetch or make it again`},
		{"quote within a cell", "t.csv", "x,y\nü,b\"c\n", []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.csv:2:4: a quote within a cell that does not begin with one; put the cell in quotes and double those in it`},
		{"text behind a quote", "t.csv", "x,y\n\"a\"b,c\n", []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.csv:2:4: text behind a closing quote; double the quotes within a cell`},
		{"open quote", "t.csv", "x,y\nü,\"b\nc,d\n", []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.csv:2:3: a quote that nothing closes; close it, or double the quotes within a cell`},
		{"no header", "t.csv", "\n\n", []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.csv:1:1: the file is empty; its first row should name the columns`},
		{"row too large", "t.tsv", "x\n" + strings.Repeat("1", tablefile.MaxRow+1), []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.tsv:2:1: a row of more than 16 MiB; is a quote not closed, or is this no table?`},
		{"quoted row too large", "t.csv", "x\n\"" + strings.Repeat(strings.Repeat("1", 1023)+"\n", tablefile.MaxRow/1024+1), []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.csv:2:1: a row of more than 16 MiB; is a quote not closed, or is this no table?`},
		{"too many columns", "t.tsv", strings.Repeat("x\t", 1<<16) + "\n", []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.tsv:1:1: a row of more than 65536 cells; is this no table?`},
		{"too many quoted columns", "t.csv", "\"\"" + strings.Repeat(",", 1<<16) + "\n", []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.csv:1:1: a row of more than 65536 cells; is this no table?`},
		{"gzip cut off", "t.tsv.gz", string(packed[:len(packed)/2]), []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.tsv.gz:LINE:1` + cut + `unexpected EOF` + again},
		{"gzip without its end", "t.tsv.gz", string(packed[:len(packed)-8]), []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.tsv.gz:100002:1` + cut + `unexpected EOF` + again},
		{"gzip checksum", "t.tsv.gz", string(flipped), []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.tsv.gz:100002:1` + cut + `gzip: invalid checksum` + again},
		{"gzip head cut off", "t.tsv.gz", string(packed[:5]), []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.tsv.gz:1:1` + cut + `unexpected EOF` + again},
		{"gzip empty", "t.tsv.gz", "", []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.tsv.gz:1:1` + cut + `unexpected EOF` + again},
		{"no gzip", "t.tsv.gz", "x\n1\n", []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.tsv.gz:1:1` + cut + `not an archive of the kind that its name says` + again},
		{"zstd cut off", "t.tsv.zst", string(zst[:len(zst)-9]), []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.tsv.zst:LINE:1` + cut + `unexpected EOF` + again},
		{"parquet null", "t.parquet", string(file), []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.parquet: row 2: column "x": the cell is empty, it should hold a name; where cells may be empty, write: optional x`},
		{"parquet encoding", "t.parquet", string(file), []table.ColumnSpec{column("y")}, new(tablefile.DamageError), `DIR/t.parquet: row 2: the text is not UTF-8 here; write the file again`},
		{"parquet number", "t.parquet", string(file), []table.ColumnSpec{value("int", "y")}, new(tablefile.DamageError), `DIR/t.parquet: row 1: column "y": "a" is not a whole number` + remedy},
		{"parquet cut off", "t.parquet", string(file[:len(file)/2]), []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.parquet` + cut + `not a Parquet file` + again},
		{"parquet empty", "t.parquet", "", []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.parquet` + cut + `unexpected EOF` + again},
		{"parquet footer", "t.parquet", "PAR1....\xff\xff\xff\xffPAR1", []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.parquet` + cut + `the footer is invalid` + again},
		{"parquet footer's lengths", "t.parquet", "PAR1\x29\xfc\xff\xff\xff\xff\x0f\x00\x08\x00\x00\x00PAR1", []table.ColumnSpec{column("x")}, new(tablefile.DamageError), `DIR/t.parquet` + cut + `the footer is invalid` + again},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, tt.file, []byte(tt.text))
			_, err := new(tablefile.Reader).Load(t.Context(), universe(), spec(tt.file, tt.columns...), dir, nil)
			if err == nil {
				t.Fatalf("got no error, want %s", tt.want)
			}
			var damage *tablefile.DamageError
			if !errors.As(err, &damage) || !errors.Is(err, subgraph.ErrCorrupt) {
				t.Fatalf("%v is no damage", err)
			}
			want := tt.want
			if strings.Contains(want, "LINE") { // where in the text an archive is cut is the packer's affair
				line := damage.Pos.Line
				if line < 2 || line > 100_001 {
					t.Errorf("got line %d, want one of the text's", line)
				}
				want = strings.ReplaceAll(want, "LINE", itoa(line))
			}
			checkError(t, err, dir, tt.kind, want)
			if ext := filepath.Ext(tt.file); ext == ".gz" || ext == ".zst" {
				_, err := new(tablefile.Reader).Head(filepath.Join(dir, tt.file), spec(tt.file), tablefile.MaxRow)
				checkError(t, err, dir, tt.kind, want)
			}
		})
	}
}

// TestLoad_DamagedParquet flips, cuts and overwrites bytes of Parquet files: there are errors, but no panics.
func TestLoad_DamagedParquet(t *testing.T) {
	t.Parallel()
	rng, seed := newRand()
	dir := t.TempDir()
	rows := randomTaggings(rng, 300)
	rounds := 300
	if testing.Short() {
		rounds = 10 // damaged pages make the decoder allocate gigabytes, which the race detector shadows
	}
	for i, file := range [][]byte{
		parquetOf(t, rows, parquet.PageBufferSize(500)),
		parquetOf(t, rows, parquet.Compression(&parquet.Snappy), parquet.DataPageVersion(1)),
	} {
		for range rounds {
			bad := bytes.Clone(file)
			switch rng.IntN(3) {
			case 0:
				bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
			case 1:
				bad = append(bad[:rng.IntN(len(bad))], bad[rng.IntN(len(bad)):]...)
			case 2:
				footer := max(0, len(bad)-1-rng.IntN(2000))
				bad[footer] = byte(rng.IntN(256))
			}
			write(t, dir, "t.parquet", bad)
			_, err := new(tablefile.Reader).Load(t.Context(), universe(), spec("t.parquet", taggingColumns...), dir, nil)
			var usage *tablefile.UsageError
			if err != nil && !errors.Is(err, subgraph.ErrCorrupt) && !errors.As(err, &usage) {
				t.Fatalf("seed %d, file %d: %v is neither damage nor wrong usage", seed, i, err)
			}
		}
	}
}

// TestLoad_ParquetFooter flips single bits of footers: where that is no error, no row is lost.
func TestLoad_ParquetFooter(t *testing.T) {
	t.Parallel()
	rng, seed := newRand()
	dir := t.TempDir()
	rows := randomTaggings(rng, 300)
	file := parquetOf(t, rows, parquet.PageBufferSize(500))
	length := int(binary.LittleEndian.Uint32(file[len(file)-8:]))
	stride := 7
	if testing.Short() {
		stride = 101
	}
	for bit := rng.IntN(stride); bit < 8*length; bit += stride {
		bad := bytes.Clone(file)
		bad[len(bad)-8-length+bit/8] ^= 1 << (bit % 8)
		write(t, dir, "t.parquet", bad)
		got, err := new(tablefile.Reader).Load(t.Context(), universe(), spec("t.parquet", taggingColumns...), dir, nil)
		if err == nil && got.Rows != len(rows) {
			t.Errorf("seed %d, bit %d of the footer: %d rows, want %d", seed, bit, got.Rows, len(rows))
		}
	}
}
