package mediawiki_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"resolwe/format/mediawiki"
	"resolwe/format/subgraph"
	"resolwe/internal/atomicfile"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

// bzipped returns what bzip2 has made, in one stream or two, of some pages of the wiki.
func bzipped(tb testing.TB, streams string) []byte {
	tb.Helper()
	b, err := os.ReadFile("testdata/" + streams + ".bz2")
	check.OK(tb, err)
	return b
}

func TestXML_Bzip2(t *testing.T) {
	t.Parallel()
	want, err := mediawiki.ReadXML(strings.NewReader(export(wiki[3:5]...)))
	check.OK(t, err)
	for _, streams := range []string{"one", "two"} {
		got, err := mediawiki.ReadXML(bytes.NewReader(bzipped(t, streams)))
		check.OK(t, err)
		check.Equal(t, streams, got, want)
	}
}

// TestXML_TruncatedArchive cuts archives everywhere behind the magic bytes.
func TestXML_TruncatedArchive(t *testing.T) {
	t.Parallel()
	text := export(wiki[3:5]...)
	for name, file := range map[string][]byte{"gzip": archivetest.Gzip(text), "bzip2": bzipped(t, "one")} {
		for n := 3; n < len(file); n++ {
			_, err := mediawiki.ReadXML(strings.NewReader(string(file[:n])))
			checkCorrupt(t, err, "f.xml", int64(n), io.ErrUnexpectedEOF.Error())
			if damage, _ := errors.AsType[*mediawiki.CorruptError](err); !damage.Archive {
				t.Fatalf("%s, %d of %d bytes: got %v, want damage of the archive", name, n, len(file), err)
			}
		}
	}
}

func TestXML_DamagedArchive(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(" ", 100_000) + export(wiki...)
	for name, file := range map[string][]byte{"gzip": archivetest.Gzip(text), "bzip2": bzipped(t, "one")} {
		file[len(file)*2/3] ^= 0x55
		_, err := mediawiki.ReadXML(strings.NewReader(string(file)))
		check.ErrorIs(t, err, subgraph.ErrCorrupt, "%s", name)
	}
}

// TestXML_BrokenFile holds that a file that cannot be read is not called damaged.
func TestXML_BrokenFile(t *testing.T) {
	t.Parallel()
	broken := errors.New("cable pulled")
	text := export(wiki...)
	for name, file := range map[string]string{"plain": text, "gzip": string(archivetest.Gzip(text)), "bzip2": string(bzipped(t, "one"))} {
		for _, n := range []int{0, 3, 5, len(file) / 2} {
			_, err := mediawiki.ReadXML(io.MultiReader(strings.NewReader(file[:n]), iotest.ErrReader(broken)))
			if !errors.Is(err, broken) || errors.Is(err, subgraph.ErrCorrupt) {
				t.Errorf("%s, %d bytes: got %v, want %v", name, n, err, broken)
			}
		}
	}
}

func TestImport_Errors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	history := write(t, dir, "history.xml", export(wiki...))
	cut := write(t, dir, "cut.xml.gz", string(archivetest.Gzip(export(wiki...))[:200]))
	links := write(t, dir, "pagelinks.sql", pageLinks)
	byTarget := write(t, dir, "bytarget.sql", pageLinksByTarget)
	categories := write(t, dir, "categorylinks.sql", categoryLinks)
	categoriesByTarget := write(t, dir, "categoriesbytarget.sql", categoryLinksByTarget)
	wrongID := write(t, dir, "wrong.sql", strings.Replace(pageLinks, "(30,", "('x',", 1))
	none := filepath.Join(dir, "none")
	const noTargets = " has its targets in the table linktarget: give a dump of that table too"
	tests := []struct {
		name  string
		opt   mediawiki.Options
		is    error  // what the error matches
		usage bool   // it reports wrong usage
		want  string // the message
	}{
		{"nothing", mediawiki.Options{}, nil, true, "no XML dump, nor one of the table page: nothing says what the articles are"},
		{"page alone", mediawiki.Options{Page: []string{links}}, nil, true, "the table page gives no rows: give an XML dump or one of pagelinks, categorylinks or externallinks"},
		{"linktarget for nothing", mediawiki.Options{XML: []string{history}, LinkTarget: []string{links}}, nil, true, "the table linktarget is of use only with pagelinks or categorylinks"},
		{"no such XML", mediawiki.Options{XML: []string{history, none}}, fs.ErrNotExist, false, "stat " + none + ": no such file or directory"},
		{"no such links", mediawiki.Options{XML: []string{history}, PageLinks: []string{none}}, fs.ErrNotExist, false, "stat " + none + ": no such file or directory"},
		{"no such titles", mediawiki.Options{XML: []string{history}, Titles: none}, fs.ErrNotExist, false, "open " + none + ": no such file or directory"},
		{"a truncated archive", mediawiki.Options{XML: []string{cut}}, subgraph.ErrCorrupt, false, cut + ": archive at byte 200: unexpected EOF; fetch the file again"},
		{"SQL for XML", mediawiki.Options{XML: []string{links}}, subgraph.ErrCorrupt, false, links + ": byte 0: expected an XML dump, which begins with <"},
		{"XML for SQL", mediawiki.Options{XML: []string{history}, PageLinks: []string{history}}, subgraph.ErrCorrupt, false, history + ": byte 0: expected an SQL dump; is this XML?"},
		{"another table", mediawiki.Options{XML: []string{history}, PageLinks: []string{categories}}, nil, true, categories + ": no table pagelinks in this dump; there is categorylinks"},
		{"no targets of pagelinks", mediawiki.Options{XML: []string{history}, PageLinks: []string{byTarget}}, nil, true, byTarget + noTargets},
		{"no targets of categorylinks", mediawiki.Options{XML: []string{history}, CategoryLinks: []string{categoriesByTarget}}, nil, true, categoriesByTarget + noTargets},
		{
			"no target",
			mediawiki.Options{XML: []string{history}, CategoryLinks: []string{write(t, dir, "c.sql", "CREATE TABLE `categorylinks` (\n`cl_from` int\n);")}},
			nil, true,
			filepath.Join(dir, "c.sql") + ": table categorylinks has no column cl_to or cl_target_id; there is cl_from",
		},
		{
			"no URL",
			mediawiki.Options{XML: []string{history}, ExternalLinks: []string{write(t, dir, "e.sql", "CREATE TABLE `externallinks` (\n`el_from` int\n);")}},
			nil, true,
			filepath.Join(dir, "e.sql") + ": table externallinks has no column el_to or el_to_domain_index; there is el_from",
		},
		{"a number that is none", mediawiki.Options{XML: []string{history}, PageLinks: []string{wrongID}}, subgraph.ErrCorrupt, false, ""},
		{"no titles", mediawiki.Options{XML: []string{history}, Titles: write(t, dir, "empty", "\n\n")}, nil, true, filepath.Join(dir, "empty") + " holds no titles"},
		{
			"titles with columns",
			mediawiki.Options{XML: []string{history}, Titles: write(t, dir, "columns", "A\nB\t1\n")},
			subgraph.ErrCorrupt, false,
			filepath.Join(dir, "columns") + `: byte 2: "B\t1" is no title; expected one on each line`,
		},
		{
			"a long title",
			mediawiki.Options{XML: []string{history}, Titles: write(t, dir, "long", strings.Repeat("a", 300<<10))},
			subgraph.ErrCorrupt, false,
			filepath.Join(dir, "long") + ": byte 0: too long for a dump of MediaWiki",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, sum, err := imported(t, tt.opt)
			if err == nil || sum != (mediawiki.Summary{}) {
				t.Fatalf("got %v, %v, want an error", sum, err)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("got %v, want %v", err, tt.is)
			}
			var usage interface{ IsUsage() bool }
			check.Equal(t, fmt.Sprintf("%v: usage", err), errors.As(err, &usage) && usage.IsUsage(), tt.usage)
			if got := err.Error(); tt.want != "" && got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestImport_Folder(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	dir := t.TempDir()
	history := write(t, dir, "history.xml", export(wiki...))
	opt := mediawiki.Options{XML: []string{history}}
	check.Fails(t, check.Err(mediawiki.Import(ctx, opt)), "no folder")
	opt.Out = filepath.Join(dir, "a")
	check.ErrorIs(t, check.Err(mediawiki.Import(ctx, opt)), fs.ErrNotExist, "no such folder")
	opt.Out = history
	check.Fails(t, check.Err(mediawiki.Import(ctx, opt)), "a file as the folder")

	// Tables that are there stay until they are replaced.
	opt.Out = filepath.Join(dir, "out")
	check.OK(t, os.Mkdir(opt.Out, 0o700))
	old := map[string]string{"article_edit.tsv": "old", "hyperlink.tsv": "old", "other": "old"}
	for name, text := range old {
		write(t, opt.Out, name, text)
	}
	damaged := opt
	damaged.XML = []string{history, write(t, dir, "cut.xml", "<mediawiki>")}
	check.ErrorIs(t, check.Err(mediawiki.Import(ctx, damaged)), subgraph.ErrCorrupt, "error")
	check.Equal(t, "after an error", tables(t, opt.Out), old)
	check.OK(t, check.Err(mediawiki.Import(ctx, opt)))
	for _, name := range []string{"article_edit.tsv", "article_talk.tsv", "user_talk.tsv"} {
		old[name] = wikiTables[name]
	}
	check.Equal(t, "result", tables(t, opt.Out), old)

	// No input is replaced.
	opt.XML = []string{write(t, opt.Out, "user_talk.tsv", export(wiki...))}
	_, err := mediawiki.Import(ctx, opt)
	if _, ok := errors.AsType[*atomicfile.SameFileError](err); !ok {
		t.Errorf("output is an input: got %v, want a SameFileError", err)
	}
}

func TestImport_Cancelled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	opt := mediawiki.Options{
		XML: []string{write(t, dir, "history.xml", strings.Repeat(" ", 3<<20)+export(wiki...))}, Out: t.TempDir(),
		Progress: func(string, int64) { cancel() },
	}
	if _, err := mediawiki.Import(ctx, opt); !errors.Is(err, context.Canceled) || errors.Is(err, subgraph.ErrCorrupt) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if got := tables(t, opt.Out); len(got) > 0 {
		t.Errorf("got %v, want no tables", got)
	}
}

func TestImport_Progress(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := strings.Repeat(" ", 3<<20) + export(wiki...)
	history, links := write(t, dir, "history.xml", text), write(t, dir, "pagelinks.sql.gz", string(archivetest.Gzip(pageLinks)))
	told := map[string][]int64{}
	_, _, err := imported(t, mediawiki.Options{
		XML: []string{history}, PageLinks: []string{links},
		Progress: func(what string, bytes int64) { told[what] = append(told[what], bytes) },
	})
	check.OK(t, err)
	if n := len(told[history]); n < 3 || !slices.IsSorted(told[history]) || told[history][n-1] != int64(len(text)) {
		t.Errorf("%s: got %v, want steps up to %d", history, told[history], len(text))
	}
	check.Equal(t, links, told[links], []int64{int64(len(archivetest.Gzip(pageLinks)))})
}
