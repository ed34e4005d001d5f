package mediawiki_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"resolwe/format/mediawiki"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

// createT is the statement before the rows in most tests.
const createT = "CREATE TABLE `t` (\n  `a` int,\n  `b` text,\n  KEY `c` (`a`)\n);\n"

func TestSQL_Rows(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       [][]string // columns a and b
	}{
		{"strings", createT + `INSERT INTO ` + "`t`" + ` VALUES (1,'x\'y''z\\'),(2,'\0\n\r\t\b\Z\"\q;),('),(3,'d"q');`, [][]string{{"1", `x'y'z\`}, {"2", "\x00\n\r\t\b\x1a\"q;),("}, {"3", `d"q`}}},
		{"numbers", createT + "INSERT INTO `t` VALUES (-1.5e+10,+2),(0x4142,NULL),(NULL,true);", [][]string{{"-1.5e+10", "+2"}, {"AB", ""}, {"", "true"}}},
		{"a charset", createT + "INSERT INTO `t` VALUES (1,_binary 'x'),(2,_utf8mb4'y');", [][]string{{"1", "x"}, {"2", "y"}}},
		{"rows on lines", createT + "-- c\n\n/*!1 SET ' */;\nINSERT IGNORE INTO `t` VALUES\n( 1 , 'x' )\t,\r\n(2,'y') ;\n-- end", [][]string{{"1", "x"}, {"2", "y"}}},
		{"columns in another order", createT + "REPLACE INTO `t` (`b`, `x`,`a`) VALUES ('x', 5, 1);", [][]string{{"1", "x"}}},
		{"no CREATE TABLE", "INSERT INTO `t` (`a`, `b`) VALUES (1,'x');", [][]string{{"1", "x"}}},
		{"a column called as a keyword", "CREATE TABLE IF NOT EXISTS `t` (\n`a` int,\n`key` int,\nKEY `a` (`a`),\n`b` enum('x,(','y') DEFAULT ')'\n);\nINSERT INTO `t` VALUES (1,2,'x');", [][]string{{"1", "x"}}},
		{"other tables", "CREATE TABLE `u` (\n`a` int);\nCREATE DATABASE `t`;\nINSERT INTO `u` VALUES ('(;');\n" + createT + "INSERT INTO `t2` VALUES (3);\nINSERT INTO `t` VALUES (1,'x');\nUPDATE `t` SET a = 1;", [][]string{{"1", "x"}}},
		{"no rows", createT + "\n/*!40000 ALTER TABLE `t` ENABLE KEYS */;\n", nil},
		{"a long value that is not read", "CREATE TABLE `t` (\n`a` int,\n`c` text,\n`b` int\n);\nINSERT INTO `t` VALUES (1,'" + strings.Repeat("c", 3<<20) + "',2);", [][]string{{"1", "2"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for name, r := range map[string]io.Reader{
				"whole": strings.NewReader(tt.text), "bytes": iotest.OneByteReader(strings.NewReader(tt.text)),
			} {
				got, err := mediawiki.ReadSQL(r, "t", "a", "b")
				check.OKf(t, err, "%s", name)
				check.Equal(t, name, got, tt.want)
			}
		})
	}
}

// TestSQL_RandomValues writes values in all ways there are.
func TestSQL_RandomValues(t *testing.T) {
	t.Parallel()
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 2))
		var want [][]string
		var rows []string
		for range rng.IntN(200) {
			a, b := randomBytes(rng), randomBytes(rng)
			want = append(want, []string{b, a})
			rows = append(rows, fmt.Sprintf("(%s,%s,%s)", sqlValue(rng, a), sqlValue(rng, randomBytes(rng)), sqlValue(rng, b)))
		}
		text := dumpOf("CREATE TABLE `t` (\n`a` blob,\n`x` blob,\n`b` blob\n)", rows...)
		got, err := mediawiki.ReadSQL(iotest.HalfReader(strings.NewReader(text)), "t", "b", "a")
		check.OKf(t, err, "seed %d", seed)
		check.MustEqual(t, fmt.Sprintf("seed %d", seed), got, want)
	}
}

func randomBytes(rng *rand.Rand) string {
	b := make([]byte, rng.IntN(20))
	for i := range b {
		if b[i] = byte(rng.IntN(256)); rng.IntN(2) == 0 {
			b[i] = `'"\,;()x0`[rng.IntN(9)]
		}
	}
	return string(b)
}

// sqlValue writes bytes as MySQL may.
func sqlValue(rng *rand.Rand, text string) string {
	switch {
	case text == "" && rng.IntN(2) == 0:
		return "NULL"
	case text != "" && rng.IntN(4) == 0:
		return fmt.Sprintf("0x%x", text)
	}
	escapes := strings.NewReplacer(`\`, `\\`, "\x00", `\0`, "\n", `\n`, "'", `\'`)
	if rng.IntN(2) == 0 {
		escapes = strings.NewReplacer(`\`, `\\`, "'", "''")
	}
	return []string{"", "_binary "}[rng.IntN(2)] + "'" + escapes.Replace(text) + "'"
}

func TestSQL_Malformed(t *testing.T) {
	t.Parallel()
	const insert = createT + "INSERT INTO `t`"
	tests := []struct {
		name, text string
		offset     int
		want       string
	}{
		{"no columns", "INSERT INTO `t` VALUES (1);", 22, "INSERT before CREATE TABLE says what the columns are"},
		{"columns on one line", "CREATE TABLE `t` (`a` int, `b` int);\n" + strings.Repeat(" ", 100), 16, "expected ( and each column on a line of its own, as mysqldump writes them"},
		{"no values", insert + " SELECT 1;", len(insert), "expected VALUES"},
		{"an open list", insert + " (`a`;", len(insert) + 5, "expected )"},
		{"no row", insert + " VALUES ;", len(insert) + 8, "expected ("},
		{"a short row", insert + " VALUES (1);", len(insert) + 10, "expected ,"},
		{"a long row", insert + " VALUES (1,2,3);", len(insert) + 12, "expected )"},
		{"no value", insert + " VALUES (1,);", len(insert) + 11, "expected a value"},
		{"a charset of nothing", insert + " VALUES (1,_binary 5);", len(insert) + 19, "expected '"},
		{"wrong digits", insert + " VALUES (1,0xABC);", len(insert) + 16, "a value of wrong hexadecimal digits"},
		{"rows without a comma", insert + " VALUES (1,2)(3,4);", len(insert) + 13, "expected , or ; behind a row"},
		{"a column twice", "CREATE TABLE `t` (\n`a` int,\n`a` int,\n`b` int\n);", 29, "two columns a"},
		{"a long value", insert + " VALUES (1,'" + strings.Repeat("x", 2<<20) + "');", -1, "too long for a dump of MediaWiki"},
		{"a long number", insert + " VALUES (1," + strings.Repeat("1", 2<<20) + ");", -1, "too long for a dump of MediaWiki"},
		{"many columns", "CREATE TABLE `t` (\n" + strings.Repeat("`x` int,\n", 2000), -1, "more than 1024 columns"},
		{"a long name", "CREATE TABLE `" + strings.Repeat("x", 2000) + "` (a int);", 14, "too long for a dump of MediaWiki"},
		{"a long column", "CREATE TABLE `t` (\n`" + strings.Repeat("x", 2000) + "` int);", 20, "too long for a dump of MediaWiki"},
		{"many tables", strings.Repeat("CREATE TABLE `u` (\n`a` int);\n", 2000), -1, "more than 1024 tables"},
		{"many columns of INSERT", "INSERT INTO `t` (`x`" + strings.Repeat(",`x`", 2000), -1, "more than 1024 columns"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := mediawiki.ReadSQL(strings.NewReader(tt.text), "t", "a", "b")
			offset := int64(tt.offset)
			if d, ok := errors.AsType[*mediawiki.CorruptError](err); ok && offset < 0 {
				offset = d.Offset
			}
			checkCorrupt(t, err, "f.sql", offset, tt.want)
		})
	}
}

func TestSQL_Schema(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"no statements", "", "f.sql: no table t in this dump"},
		{"other tables", "CREATE TABLE `u` (\n`a` int);\nCREATE TABLE `v` (\n`a` int);", "f.sql: no table t in this dump; there is u, v"},
		{"no such column", "CREATE TABLE `t` (\n`b` int,\n`c` int\n);", "f.sql: table t has no column a; there is b, c"},
		{"no columns", "CREATE TABLE `t` (\n);", "f.sql: table t has no column a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := mediawiki.ReadSQL(strings.NewReader(tt.text), "t", "a", "b")
			var schema *mediawiki.OptionError
			if !errors.As(err, &schema) || !schema.IsUsage() || errors.Is(err, subgraph.ErrCorrupt) {
				t.Fatalf("got %v, want an OptionError", err)
			}
			check.Equal(t, "result", err.Error(), tt.want)
		})
	}
}

// TestSQL_Truncated cuts a plain dump everywhere within its statements.
func TestSQL_Truncated(t *testing.T) {
	t.Parallel()
	text := createT + "INSERT INTO `t` VALUES (1,'x\\'y'),(2,NULL);"
	for n := 1; n < len(text); n++ {
		_, err := mediawiki.ReadSQL(strings.NewReader(text[:n]), "t", "a", "b")
		if strings.TrimSpace(text[:n]) == strings.TrimSpace(createT) {
			if err != nil {
				t.Errorf("%d bytes: got %v, want nil", n, err)
			}
			continue
		}
		checkCorrupt(t, err, "f.sql", int64(n), io.ErrUnexpectedEOF.Error())
	}
}

func FuzzSQL(f *testing.F) {
	f.Add([]byte(dumpOf("CREATE TABLE `t` (\n`a` int,\n`x` text,\n`b` text\n)", `(1,'\'x''',_binary 'y')`, "(0x41,NULL,-1.5)")))
	f.Add([]byte("CREATE TABLE IF NOT EXISTS `t` (\n`a` int,\n`b` int\n);\nREPLACE INTO `t` (`b`,`a`) VALUES (1,'''');"))
	f.Add([]byte("INSERT INTO `u` VALUES (1);\n--"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if len(file) > 1<<16 {
			return // a small archive of a huge text is slow, not wrong
		}
		whole, err := mediawiki.ReadSQL(strings.NewReader(string(file)), "t", "a", "b")
		var schema *mediawiki.OptionError
		if err != nil && !errors.Is(err, subgraph.ErrCorrupt) && !errors.As(err, &schema) {
			t.Fatalf("an error of another kind: %v", err)
		}
		bytes, again := mediawiki.ReadSQL(iotest.OneByteReader(strings.NewReader(string(file))), "t", "a", "b")
		if diff := cmp.Diff(whole, bytes); diff != "" || (err == nil) != (again == nil) {
			t.Fatalf("read at once %v, in bytes %v:\n%s", err, again, diff)
		}
	})
}

func TestDomain(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"http://example.org":                      "example.org",
		"https://WWW.Example.ORG:443/a":           "www.example.org",
		"//example.org?q=//b.org":                 "example.org",
		"ftp://ann:secret@ftp.example.org/x@y":    "ftp.example.org",
		"http://example.org./":                    "example.org",
		"http://[2001:DB8::1]:80/":                "[2001:db8::1]",
		"http://bücher.example#a":                 "bücher.example",
		"mailto:ann@example.org":                  "",
		"news:comp//x":                            "",
		"http:///path":                            "",
		"http://:80/":                             "",
		"":                                        "",
		"http://":                                 "",
		"http://]x":                               "]x",
		"https://web.archive.org/http://b.org/":   "web.archive.org",
		"https://example.org\\@evil.example/path": "example.org",
	} {
		check.Equal(t, url, mediawiki.Domain(url), want)
	}
}

func TestURL(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ index, path, want string }{
		{"https://org.example.www.", "/a?b", "https://www.example.org/a?b"},
		{"https://org.example.www.:8080", "", "https://www.example.org:8080"},
		{"//org.example", "/", "//example.org/"},
		{"http://V4.192.0.2.1.:81", "/", "http://192.0.2.1:81/"},
		{"http://V6.2001.DB8.0.0.0.0.0.1.", "/", "http://[2001:DB8:0:0:0:0:0:1]/"},
		{"mailto:org.example.@ann", "", "mailto:org.example.@ann"},
		{"http://.", "/", "http:///"},
	} {
		check.Equal(t, fmt.Sprintf("%s and %s", tt.index, tt.path), mediawiki.URL(tt.index, tt.path), tt.want)
	}
}
