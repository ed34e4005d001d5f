package mediawiki_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"resolwe/format/mediawiki"
	"resolwe/internal/test/archivetest"
)

// go test -run - -bench Import -benchmem ./format/mediawiki.
func BenchmarkImport(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 4))
	history := export(randomWiki(rng, 20_000)...)
	rows := make([]string, 400_000)
	for i := range rows {
		rows[i] = fmt.Sprintf("(%d,0,'A_%d',0)", i/20, rng.IntN(20_000))
	}
	var links strings.Builder
	links.WriteString(createPageLinks + ";\n")
	for i := 0; i < len(rows); i += 10_000 {
		links.WriteString("INSERT INTO `pagelinks` VALUES " + strings.Join(rows[i:i+10_000], ",") + ";\n")
	}
	small := history[:strings.Index(history[1<<20:], "  <page>")+1<<20] + "</mediawiki>"
	for _, bb := range []struct {
		name           string
		text           string
		file           string
		history, links bool
	}{
		{"xml/pack=none", history, history, true, false},
		{"xml/pack=gzip", history, string(archivetest.Gzip(history)), true, false},
		{"pagelinks/pack=none", links.String(), links.String(), false, true},
		{"pagelinks/pack=gzip", links.String(), string(archivetest.Gzip(links.String())), false, true},
	} {
		b.Run(bb.name, func(b *testing.B) {
			dir := b.TempDir()
			opt := mediawiki.Options{Out: b.TempDir()}
			if bb.history {
				opt.XML = []string{write(b, dir, "history", bb.file)}
			} else {
				opt.XML = []string{write(b, dir, "history", small)}
				opt.PageLinks = []string{write(b, dir, "pagelinks", bb.file)}
			}
			b.SetBytes(int64(len(bb.text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := mediawiki.Import(b.Context(), opt); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
