package mediawiki_test

import (
	"maps"
	"strings"
	"testing"

	"resolwe/format/mediawiki"
	"resolwe/internal/test/archivetest"
	"resolwe/internal/test/check"
)

// wiki has a page of each kind.
var wiki = []page{
	{space: 1, id: 1, title: "Talk:Late/Archive 1", revisions: []revision{{time: "2009-01-01T00:00:01Z", user: "Ann"}}},
	{space: 1, id: 2, title: "Talk:Nowhere", revisions: []revision{{time: "2009-01-01T00:00:02Z", user: "Ann"}}},
	{space: 0, id: 10, title: `"Slow" Gin`, revisions: []revision{
		{time: "2009-10-07T12:00:00Z", user: "Ann"},
		{time: "2009-10-07T12:00:01Z", user: "192.0.2.1", anonymous: true},
		{time: "2009-10-07T12:00:02Z", user: "Bob & Co", minor: true},
		{time: "2009-10-07T12:00:03Z", user: ""},
		{time: "2009-10-07T12:00:04Z", user: "Ann", suppressed: true},
		{time: "2009-10-07T12:00:05Z", user: "Ann"},
	}},
	{space: 0, id: 11, title: "AC/DC", revisions: []revision{{time: "2010-01-01T00:00:00Z", user: "Äda"}}},
	{space: 0, id: 12, title: "Sloe gin", redirect: `"Slow" Gin`, revisions: []revision{{time: "2010-01-01T00:00:00Z", user: "Ann"}}},
	{space: 0, id: 13, title: "Unedited"},
	{space: 1, id: 14, title: "Talk:AC/DC", revisions: []revision{{time: "2010-01-02T00:00:00Z", user: "Ann"}}},
	{space: 1, id: 15, title: "Talk:AC/DC/Archive", revisions: []revision{{time: "2010-01-03T00:00:00Z", user: "2001:DB8::1", anonymous: true}}},
	{space: 1, id: 16, title: "Talk:Sloe gin", redirect: `Talk:"Slow" Gin`, revisions: []revision{{time: "2010-01-04T00:00:00Z", user: "Ann"}}},
	{space: 1, id: 17, title: "Talk:Sloe gin/Archive", revisions: []revision{{time: "2010-01-04T00:00:00Z", user: "Ann"}}},
	{space: 2, id: 18, title: "User:Ann", revisions: []revision{{time: "2010-01-05T00:00:00Z", user: "Ann"}}},
	{space: 3, id: 19, title: "User talk:Ann", revisions: []revision{
		{time: "2010-01-06T00:00:00Z", user: "Bob & Co"},
		{time: "2010-01-06T00:00:01Z", user: "Ann"},
		{time: "2010-01-06T00:00:02Z", user: "~2025-1", minor: true},
		{time: "2010-01-06T00:00:03Z", user: "~2025-1"},
	}},
	{space: 3, id: 20, title: "User talk:192.0.2.1", revisions: []revision{{time: "2010-01-07T00:00:00Z", user: "Ann"}}},
	{space: 3, id: 21, title: "User talk:Äda/2009/1", revisions: []revision{{time: "2010-01-08T00:00:00Z", user: "192.0.2.1", anonymous: true}}},
	{space: 3, id: 22, title: "User talk:Old", redirect: "User talk:Ann", revisions: []revision{{time: "2010-01-09T00:00:00Z", user: "Ann"}}},
	{space: 0, id: 30, title: "Late", revisions: []revision{{time: "2011-01-01T00:00:00Z", user: "Bob & Co"}}},
	{space: 14, id: 31, title: "Category:Drinks", revisions: []revision{{time: "2011-01-01T00:00:00Z", user: "Ann"}}},
}

var (
	pageLinks = dumpOf(createPageLinks,
		"(10,0,'AC/DC',0)", "(10,0,'Late',0)", "(10,0,'Sloe_gin',0)", "(10,1,'AC/DC',0)", `(11,0,'\"Slow\"_Gin',0)`,
		"(11,0,'Red_link',0)", "(11,0,'Sloe_gin',0)", "(12,0,'AC/DC',0)", "(18,0,'AC/DC',2)", "(30,0,'Late',0)", "(30,0,'Sloe_gin',0)")
	pageLinksByTarget = dumpOf(createPageLinksByTarget,
		"(10,0,101)", "(10,0,102)", "(10,0,103)", "(10,0,107)", "(11,0,104)", "(11,0,105)", "(11,0,103)", "(12,0,101)",
		"(18,2,101)", "(30,0,102)", "(30,0,103)")
	linkTargets = dumpOf(createLinkTarget,
		"(101,0,'AC/DC')", "(102,0,'Late')", "(103,0,'Sloe_gin')", `(104,0,'"Slow"_Gin')`, "(105,0,'Red_link')",
		"(106,14,'Drinks_\\'n\\'_bars')", "(107,1,'AC/DC')", "(108,14,'Rock')", "(109,10,'Rock')", "(110,14,'Cut \xe2\x82')")
	categoryLinks = dumpOf(createCategoryLinks,
		"(10,'Drinks_\\'n\\'_bars','A\\0\\n(,);','page')", "(11,'Rock','',NULL)", "(12,'Rock','','page')", "(31,'Rock','','subcat')",
		"(11,'Cut \xe2\x82','','page')")
	categoryLinksByTarget = dumpOf(createCategoryLinksByTarget,
		"(10,'A\\0\\n(,);','page',106)", "(11,'','page',108)", "(12,'','page',108)", "(31,'','subcat',108)", "(11,'','page',110)")
	externalLinks = dumpOf(createExternalLinks,
		"(1,10,'https://www.Example.org:8080/a?b=1#c','https://org.example.www.:8080/a?b=1#c')", "(2,11,'//example.org','http://org.example./')",
		"(3,11,'mailto:ann@example.org','mailto:org.example.@ann')", "(4,12,'http://example.org/','')", "(5,30,'http://192.0.2.7/x','')")
	externalLinksByIndex = dumpOf(createExternalLinksByIndex,
		"(1,10,'https://org.example.www.:8080','/a?b=1#c')", "(2,11,'//org.example.',NULL)",
		"(3,11,'mailto:org.example.@ann','')", "(4,12,'http://org.example.','/')", "(5,30,'http://V4.192.0.2.7.','/x')")
)

// wikiTables are the tables of wiki by default.
var wikiTables = map[string]string{
	"article_edit.tsv": `article	user	timestamp	minor
"Slow" Gin	Ann	2009-10-07T12:00:00Z	0
"Slow" Gin	IP:192.0.2.1	2009-10-07T12:00:01Z	0
"Slow" Gin	Ann	2009-10-07T12:00:05Z	0
AC/DC	Äda	2010-01-01T00:00:00Z	0
Late	Bob & Co	2011-01-01T00:00:00Z	0
`,
	"article_talk.tsv": `article	user	timestamp	minor
AC/DC	Ann	2010-01-02T00:00:00Z	0
Late	Ann	2009-01-01T00:00:01Z	0
AC/DC	IP:2001:DB8::1	2010-01-03T00:00:00Z	0
`,
	"user_talk.tsv": `writer	owner	timestamp	minor
Bob & Co	Ann	2010-01-06T00:00:00Z	0
Ann	Ann	2010-01-06T00:00:01Z	0
~2025-1	Ann	2010-01-06T00:00:03Z	0
Ann	IP:192.0.2.1	2010-01-07T00:00:00Z	0
IP:192.0.2.1	Äda	2010-01-08T00:00:00Z	0
`,
	"hyperlink.tsv": `from	to
"Slow" Gin	AC/DC
"Slow" Gin	Late
AC/DC	"Slow" Gin
Late	"Slow" Gin
`,
	"category.tsv": "article\tcategory\n\"Slow\" Gin\tDrinks 'n' bars\nAC/DC\tRock\nAC/DC\tCut \uFFFD\n",
}

var wikiSummary = mediawiki.Summary{
	Articles: 4, Redirects: 3, ArticleEdits: 5, ArticleTalk: 3, UserTalk: 5, Hyperlinks: 4, Categories: 3, External: 3,
	UserDeleted: 1, Suppressed: 1, Minor: 2, Orphans: 2, WithoutDomain: 1,
}

// external is external.tsv. The two schemas differ in nothing here.
const external = `article	domain	url
"Slow" Gin	www.example.org	https://www.Example.org:8080/a?b=1#c
AC/DC	example.org	//example.org
Late	192.0.2.7	http://192.0.2.7/x
`

func TestImport_Tables(t *testing.T) {
	t.Parallel()
	packings := []struct {
		name string
		pack func(string) string
	}{
		{"plain", func(s string) string { return s }},
		{"gzip", func(s string) string { return string(archivetest.Gzip(s)) }},
		{"two members of gzip", func(s string) string { return string(archivetest.Gzip(s[:100])) + string(archivetest.Gzip(s[100:])) }},
	}
	schemas := []struct {
		name                                 string
		links, targets, categories, external string
	}{
		{"titles", pageLinks, "", categoryLinks, externalLinks},
		{"targets", pageLinksByTarget, linkTargets, categoryLinksByTarget, externalLinksByIndex},
	}
	for _, p := range packings {
		for _, s := range schemas {
			t.Run(p.name+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				opt := mediawiki.Options{
					XML: []string{
						write(t, dir, "history1", p.pack(export(wiki[:4]...))),
						write(t, dir, "history2", p.pack(export(wiki[4:]...))),
					},
					PageLinks:     []string{write(t, dir, "pagelinks", p.pack(s.links))},
					CategoryLinks: []string{write(t, dir, "categorylinks", p.pack(s.categories))},
					ExternalLinks: []string{write(t, dir, "externallinks", p.pack(s.external))},
				}
				if s.targets != "" {
					opt.LinkTarget = []string{write(t, dir, "linktarget", p.pack(s.targets))}
				}
				got, sum, err := imported(t, opt)
				check.OK(t, err)
				want := map[string]string{"external.tsv": external}
				if s.name == "targets" {
					want["external.tsv"] = strings.Replace(external, "www.Example.org:", "www.example.org:", 1)
				}
				maps.Copy(want, wikiTables)
				check.Equal(t, "tables", got, want)
				check.Equal(t, "summary", sum, wikiSummary)
			})
		}
	}
}

func TestImport_Options(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		set  func(t *testing.T, dir string, opt *mediawiki.Options)
		want map[string]string // tables that are checked
		sum  mediawiki.Summary
	}{
		{
			name: "minor edits too",
			set:  func(_ *testing.T, _ string, opt *mediawiki.Options) { opt.IncludeMinor = true },
			want: map[string]string{
				"article_edit.tsv": strings.Replace(wikiTables["article_edit.tsv"], "12:00:01Z\t0\n",
					"12:00:01Z\t0\n\"Slow\" Gin\tBob & Co\t2009-10-07T12:00:02Z\t1\n", 1),
				"user_talk.tsv": strings.Replace(wikiTables["user_talk.tsv"], "~2025-1",
					"~2025-1\tAnn\t2010-01-06T00:00:02Z\t1\n~2025-1", 1),
			},
			sum: mediawiki.Summary{
				Articles: 4, Redirects: 3, ArticleEdits: 6, ArticleTalk: 3, UserTalk: 6, UserDeleted: 1, Suppressed: 1, Orphans: 2,
			},
		},
		{
			name: "registered users only",
			set:  func(_ *testing.T, _ string, opt *mediawiki.Options) { opt.RegisteredOnly = true },
			want: map[string]string{
				"article_talk.tsv": "article\tuser\ttimestamp\tminor\nAC/DC\tAnn\t2010-01-02T00:00:00Z\t0\nLate\tAnn\t2009-01-01T00:00:01Z\t0\n",
				"user_talk.tsv": "writer\towner\ttimestamp\tminor\nBob & Co\tAnn\t2010-01-06T00:00:00Z\t0\n" +
					"Ann\tAnn\t2010-01-06T00:00:01Z\t0\n",
			},
			sum: mediawiki.Summary{
				Articles: 4, Redirects: 3, ArticleEdits: 4, ArticleTalk: 2, UserTalk: 2,
				UserDeleted: 1, Suppressed: 1, Unregistered: 5, Minor: 1, Orphans: 2,
			},
		},
		{
			name: "titles",
			set: func(t *testing.T, dir string, opt *mediawiki.Options) {
				t.Helper()
				opt.Titles = write(t, dir, "titles", "\ufeffLate\r\n\n\"Slow\"_Gin\nSloe gin\nMissing")
			},
			want: map[string]string{
				"article_edit.tsv": strings.Replace(wikiTables["article_edit.tsv"], "AC/DC\tÄda\t2010-01-01T00:00:00Z\t0\n", "", 1),
				"article_talk.tsv": "article\tuser\ttimestamp\tminor\nLate\tAnn\t2009-01-01T00:00:01Z\t0\n",
				"user_talk.tsv": "writer\towner\ttimestamp\tminor\nBob & Co\tAnn\t2010-01-06T00:00:00Z\t0\nAnn\tAnn\t2010-01-06T00:00:01Z\t0\n" +
					"Ann\tIP:192.0.2.1\t2010-01-07T00:00:00Z\t0\n",
				"hyperlink.tsv": "from\tto\n\"Slow\" Gin\tLate\nLate\t\"Slow\" Gin\n",
			},
			sum: mediawiki.Summary{
				Articles: 2, Redirects: 3, MissingTitles: 2, ArticleEdits: 4, ArticleTalk: 1, UserTalk: 3, Hyperlinks: 2,
				UserDeleted: 1, Suppressed: 1, Minor: 2, Orphans: 1,
			},
		},
		{
			name: "a title with a slash, but not what is before it",
			set: func(t *testing.T, dir string, opt *mediawiki.Options) {
				t.Helper()
				opt.Titles = write(t, dir, "titles", "AC")
			},
			want: map[string]string{"article_talk.tsv": "article\tuser\ttimestamp\tminor\n", "article_edit.tsv": "article\tuser\ttimestamp\tminor\n"},
			sum:  mediawiki.Summary{Redirects: 3, MissingTitles: 1, Minor: 1, Orphans: 2},
		},
		{
			name: "no XML",
			set: func(t *testing.T, dir string, opt *mediawiki.Options) {
				t.Helper()
				opt.XML = nil
				opt.Page = []string{write(t, dir, "page", dumpOf(createPage, `(10,0,'\"Slow\"_Gin',0,0.5)`, "(11,0,'AC/DC',0,1e-5)",
					"(12,0,'Sloe_gin',1,0.5)", "(14,1,'AC/DC',0,0.5)"))}
				opt.PageLinks = []string{write(t, dir, "pagelinks", pageLinks)}
			},
			want: map[string]string{"hyperlink.tsv": "from\tto\n\"Slow\" Gin\tAC/DC\nAC/DC\t\"Slow\" Gin\n"},
			sum:  mediawiki.Summary{Articles: 2, Hyperlinks: 2},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			opt := mediawiki.Options{XML: []string{write(t, dir, "history", export(wiki...))}}
			if _, ok := tt.want["hyperlink.tsv"]; ok {
				opt.PageLinks = []string{write(t, dir, "pagelinks", pageLinks)}
			}
			tt.set(t, dir, &opt)
			got, sum, err := imported(t, opt)
			check.OK(t, err)
			for name, want := range tt.want {
				check.Equal(t, name, got[name], want)
			}
			check.Equal(t, "summary", sum, tt.sum)
		})
	}
}
