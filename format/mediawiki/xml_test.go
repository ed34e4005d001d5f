package mediawiki_test

import (
	"encoding/xml"
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
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

// readPlainly reads a dump with the standard library, as mediawiki.ReadXML does.
func readPlainly(text string) (lines []string, err error) {
	type flag struct {
		Deleted string `xml:"deleted,attr"`
	}
	var doc struct {
		Pages []struct {
			Title    string `xml:"title"`
			Space    int    `xml:"ns"`
			ID       uint64 `xml:"id"`
			Redirect *struct {
				Title string `xml:"title,attr"`
			} `xml:"redirect"`
			Revisions []struct {
				Time        string `xml:"timestamp"`
				Contributor struct {
					User string  `xml:"username"`
					IP   *string `xml:"ip"`
				} `xml:"contributor"`
				Minor *struct{} `xml:"minor"`
				Text  flag      `xml:"text"`
			} `xml:"revision"`
		} `xml:"page"`
	}
	if err := xml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, err
	}
	for _, p := range doc.Pages {
		target := ""
		if p.Redirect != nil {
			target = p.Redirect.Title
		}
		lines = append(lines, fmt.Sprintf("page %q %d %d %v %q", p.Title, p.Space, p.ID, p.Redirect != nil, target))
		for _, r := range p.Revisions {
			user := r.Contributor.User
			if r.Contributor.IP != nil {
				user = *r.Contributor.IP
			}
			lines = append(lines, fmt.Sprintf("revision %s %q %v %v %v", r.Time, user, r.Contributor.IP != nil, r.Minor != nil, r.Text.Deleted != ""))
		}
	}
	return lines, nil
}

// decorated changes a dump in ways that change nothing of what it says.
func decorated(rng *rand.Rand, text string) string {
	text = strings.NewReplacer("&#34;", "&quot;", "&#39;", "&#x27;", "&gt;", ">", "\n", strings.Repeat("\n", rng.IntN(3))).Replace(text)
	for _, r := range [][2]string{
		{"<minor />", "<minor></minor >"},
		{"<minor />", "<!-- < > -- --->\n<minor\n/>"},
		{"<revision>", "<revision x='a>b\"'>"},
		{"<username>", "<username><!-- -->"},
		{"</title>", "</title><upload><contributor><username>X</username></contributor><title>Y</title></upload>"},
		{"<comment>", "<!----><?php <page> ?><comment>"},
	} {
		if rng.IntN(2) == 0 && (r[0] != "<minor />" || !strings.Contains(r[1], "--->")) {
			text = strings.ReplaceAll(text, r[0], r[1])
		}
	}
	return "\ufeff<?xml version=\"1.0\"?>\n<!-- dump -->" + text + "<!-- end -->\n"
}

func TestXML_MatchesStandardLibrary(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := rng.IntN(30)
		if seed == 0 {
			n = 4000 // beyond the window
		}
		text := decorated(rng, export(randomWiki(rng, n)...))
		want, err := readPlainly(text)
		check.OKf(t, err, "seed %d", seed)
		for name, r := range map[string]io.Reader{
			"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text)),
			"halves": iotest.HalfReader(iotest.DataErrReader(strings.NewReader(text))),
		} {
			got, err := mediawiki.ReadXML(r)
			check.OKf(t, err, "seed %d, %s", seed, name)
			check.MustEqual(t, fmt.Sprintf("seed %d, %s", seed, name), got, want)
		}
	}
}

func TestXML_Malformed(t *testing.T) {
	t.Parallel()
	const head = "<mediawiki><page><title>A</title><ns>0</ns><id>1</id>" // 53 bytes
	tests := []struct {
		name, text string
		offset     int64
		want       string
	}{
		{"empty", "", 0, "unexpected EOF"},
		{"text only", "no XML", 0, "expected an XML dump, which begins with <"},
		{"another root", " <html></html>", 1, "<html> where a dump of MediaWiki has <mediawiki>"},
		{"two roots", "<mediawiki/><mediawiki/>", 12, "a second root element"},
		{"text behind the root", "<mediawiki/> x", 13, "text outside the root element"},
		{"tags that do not match", "<mediawiki><a></b>", 14, "</b> closes nothing"},
		{"closed twice", "<mediawiki/></mediawiki>", 12, "</mediawiki> closes nothing"},
		{"no name", "<mediawiki>< a>", 11, "a tag without a name"},
		{"a tag in a tag", "<mediawiki><a <b>", 14, "< within a tag"},
		{"a section", "<mediawiki><![CDATA[x]]>", 13, "expected --"},
		{"deep", strings.Repeat("<mediawiki>", 70), 64 * 11, "more than 64 elements within each other"},
		{"a long tag", "<mediawiki><" + strings.Repeat("a", 300<<10) + ">", 12, "too long for a dump of MediaWiki"},
		{"a long title", "<mediawiki><page><title>" + strings.Repeat("a", 100<<10) + "</title>", 102424, "too long for a dump of MediaWiki"},
		{
			"a title in parts", "<mediawiki><page><title>" + strings.Repeat(strings.Repeat("a", 1<<10)+"<!-- -->", 100) + "</title>",
			24 + 100*(1024+8), "too long for a dump of MediaWiki",
		},
		{"an unknown reference", "<mediawiki><page><title>a&nbsp;b</title>", 32, "a text that is not of XML"},
		{"an open reference", "<mediawiki><page><title>a&amp b</title>", 31, "a text that is not of XML"},
		{"a reference to no character", "<mediawiki><page><title>&#xD800;</title>", 32, "a text that is not of XML"},
		{"not UTF-8", "<mediawiki><page><title>\xff</title>", 25, "a text that is not of XML"},
		{"a tab in a title", "<mediawiki><page><title>a\tb</title>", 27, `"a\tb" is no name: it has control characters`},
		{"no title", "<mediawiki><page></page>", 17, "a page without <title>"},
		{"no namespace", "<mediawiki><page><title>A</title><id>1</id><revision>", 43, "a page without a number in <ns>"},
		{"a namespace in words", "<mediawiki><page><title>A</title><ns>main</ns><id>1</id></page>", 56, "a page without a number in <ns>"},
		{"no id", "<mediawiki><page><title>A</title><ns>0</ns></page>", 43, "a page without a number in <id>"},
		{"no time", head + "<revision></revision>", 63, "a revision without a time"},
		{"a wrong time", head + "<revision><timestamp>2009-02-30T00:00:00Z</timestamp>", 94, `"2009-02-30T00:00:00Z" is no time`},
		{"a local time", head + "<revision><timestamp>2009-02-03T00:00:00+01:00</timestamp>", 99, `"2009-02-03T00:00:00+01:00" is no time`},
		{"an attribute without a value", head + "<redirect title/>", 53, "a tag that is not of XML"},
		{"an attribute without quotes", head + "<redirect title=A />", 53, "a tag that is not of XML"},
		{"a wrong attribute", head + `<redirect title="&x;" />`, 53, "a tag that is not of XML"},
		{"a redirect with a tab", head + `<redirect title="&#9;" />`, 53, "a redirect to a title with control characters"},
		{"an open comment", "<mediawiki><!-- ", 16, "unexpected EOF"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := mediawiki.ReadXML(strings.NewReader(tt.text))
			checkCorrupt(t, err, "f.xml", tt.offset, tt.want)
			_, err = mediawiki.ReadXML(iotest.HalfReader(strings.NewReader(tt.text)))
			checkCorrupt(t, err, "f.xml", tt.offset, tt.want)
		})
	}
}

func checkCorrupt(tb testing.TB, err error, path string, offset int64, message string) {
	tb.Helper()
	var damage *mediawiki.CorruptError
	if !errors.As(err, &damage) || !errors.Is(err, subgraph.ErrCorrupt) {
		tb.Fatalf("got %v, want a CorruptError", err)
	}
	want := mediawiki.CorruptError{Path: path, Offset: offset}
	if got := (mediawiki.CorruptError{Path: damage.Path, Offset: damage.Offset}); got != want || damage.Err.Error() != message {
		tb.Errorf("got %v at %d, want %s at %d", damage, damage.Offset, message, offset)
	}
}

// TestXML_Truncated cuts a plain dump everywhere.
func TestXML_Truncated(t *testing.T) {
	t.Parallel()
	text := strings.TrimSpace(export(wiki[3:6]...))
	for n := range len(text) {
		_, err := mediawiki.ReadXML(strings.NewReader(text[:n]))
		checkCorrupt(t, err, "f.xml", int64(n), io.ErrUnexpectedEOF.Error())
	}
}

func FuzzXML(f *testing.F) {
	f.Add([]byte(export(wiki[4])))
	f.Add([]byte("<mediawiki><page><title>A</title><ns>0</ns><id>1</id><revision><timestamp>2009-01-01T00:00:00Z</timestamp>" +
		"<contributor><ip>1</ip></contributor><minor/><!-- x --><text deleted=''/></revision></page></mediawiki>"))
	f.Add([]byte("\ufeff<?xml?><mediawiki><page><title>&#x41;&amp;</title><ns>1</ns><id>2</id><redirect title='a>b'/></page></mediawiki>"))
	f.Add(archivetest.Gzip(export(wiki[:2]...)))
	f.Add(bzipped(f, "one"))
	f.Add([]byte("\x1f\x8b\b7000000\x00\x00")) // ends within the head of the archive
	f.Fuzz(func(t *testing.T, file []byte) {
		if len(file) > 1<<16 {
			return // a small archive of a huge text is slow, not wrong
		}
		whole, err := mediawiki.ReadXML(strings.NewReader(string(file)))
		if err != nil && !errors.Is(err, subgraph.ErrCorrupt) {
			t.Fatalf("an error of another kind: %v", err)
		}
		bytes, again := mediawiki.ReadXML(iotest.OneByteReader(strings.NewReader(string(file))))
		if diff := cmp.Diff(whole, bytes); diff != "" || (err == nil) != (again == nil) {
			t.Fatalf("read at once %v, in bytes %v:\n%s", err, again, diff)
		}
	})
}
