package mediawiki_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/format/mediawiki"
	"resolwe/internal/test/check"
)

// randomWiki makes n pages up, in no order, with titles that meet those of talk pages and redirects.
func randomWiki(rng *rand.Rand, n int) []page {
	names := []string{"A", "A/B", "A/B/C", "D", "E & <F>", `"G"`, "Ä'ö", "H:I", "D/", "/D"}
	prefixes := []string{"", "Talk:", "User:", "User talk:"}
	users := []string{"Ann", "Bob", "C & D", "192.0.2.1", "2001:DB8::1", "~2025-1", ""}
	var pages []page
	taken := map[string]bool{}
	for id := 1; id <= n; id++ {
		p := page{id: id, space: rng.IntN(4)}
		name := names[rng.IntN(len(names))]
		if p.space == 3 {
			name = users[rng.IntN(len(users)-1)] + []string{"", "/1", "/1/2"}[rng.IntN(3)]
		}
		if n > 100 && rng.IntN(8) > 0 {
			name += fmt.Sprint(" ", id)
		}
		p.title = prefixes[p.space] + name
		if taken[p.title] {
			continue
		}
		taken[p.title] = true
		if rng.IntN(4) == 0 {
			p.redirect = prefixes[p.space] + names[rng.IntN(len(names))]
		}
		for r := range rng.IntN(6) {
			user := users[rng.IntN(len(users))]
			_, err := netip.ParseAddr(user)
			p.revisions = append(p.revisions, revision{
				time: fmt.Sprintf("2009-%02d-%02dT%02d:00:00Z", 1+rng.IntN(12), 1+rng.IntN(28), r),
				user: user, anonymous: err == nil, minor: rng.IntN(4) == 0, suppressed: rng.IntN(9) == 0,
			})
		}
		pages = append(pages, p)
	}
	return pages
}

// naive is the import in plain words: all pages in memory, gone through once for each question.
type naive struct {
	pages  []page
	opt    mediawiki.Options
	wanted []string // titles, nil for all
}

func (n *naive) find(title string) *page {
	for i := range n.pages {
		if n.pages[i].space == 0 && n.pages[i].title == title {
			return &n.pages[i]
		}
	}
	return nil
}

func (n *naive) isArticle(title string) bool {
	p := n.find(title)
	return p != nil && p.redirect == "" && (n.wanted == nil || slices.Contains(n.wanted, title))
}

// discussed returns the article of a talk page.
func (n *naive) discussed(title string) (string, bool) {
	for n.find(title) == nil {
		slash := strings.LastIndexByte(title, '/')
		if slash <= 0 {
			return "", false
		}
		title = title[:slash]
	}
	return title, n.isArticle(title)
}

func (n *naive) name(user string) string {
	if _, err := netip.ParseAddr(user); err == nil {
		return "IP:" + user
	}
	return user
}

func (n *naive) unregistered(user string) bool {
	return strings.HasPrefix(n.name(user), "IP:") || strings.HasPrefix(user, "~2")
}

// rows returns the rows of a namespace, sorted.
func (n *naive) rows(space int, row func(p *page, user, rest string) string) []string {
	var all []string
	for _, p := range n.pages {
		for _, r := range p.revisions {
			if p.space != space || p.redirect != "" || r.user == "" || r.suppressed || r.minor && !n.opt.IncludeMinor ||
				n.opt.RegisteredOnly && n.unregistered(r.user) {
				continue
			}
			minor := map[bool]string{false: "0", true: "1"}[r.minor]
			if line := row(&p, n.name(r.user), r.time+"\t"+minor); line != "" {
				all = append(all, line)
			}
		}
	}
	slices.Sort(all)
	return all
}

func (n *naive) tables() map[string][]string {
	users := map[string]bool{}
	t := map[string][]string{}
	t["article_edit.tsv"] = n.rows(0, func(p *page, user, rest string) string {
		if !n.isArticle(p.title) {
			return ""
		}
		users[user] = true
		return p.title + "\t" + user + "\t" + rest
	})
	t["article_talk.tsv"] = n.rows(1, func(p *page, user, rest string) string {
		title, ok := n.discussed(strings.TrimPrefix(p.title, "Talk:"))
		if !ok {
			return ""
		}
		users[user] = true
		return title + "\t" + user + "\t" + rest
	})
	t["user_talk.tsv"] = n.rows(3, func(p *page, user, rest string) string {
		owner, _, _ := strings.Cut(strings.TrimPrefix(p.title, "User talk:"), "/")
		if n.opt.RegisteredOnly && n.unregistered(owner) || n.wanted != nil && (!users[user] || !users[n.name(owner)]) {
			return ""
		}
		return user + "\t" + n.name(owner) + "\t" + rest
	})
	return t
}

// links returns the rows of hyperlink.tsv for links of pages to titles.
func (n *naive) links(all [][2]int) []string {
	set := map[string]bool{}
	for _, l := range all {
		from, to := n.pages[l[0]], n.pages[l[1]]
		if from.space != 0 || to.space != 0 || !n.isArticle(from.title) {
			continue
		}
		title := to.title
		if to.redirect != "" {
			title = to.redirect
		}
		if n.isArticle(title) && title != from.title {
			set[from.title+"\t"+title] = true
		}
	}
	rows := make([]string, 0, len(set))
	for row := range set {
		rows = append(rows, row)
	}
	slices.Sort(rows)
	return rows
}

func TestImport_MatchesNaive(t *testing.T) {
	t.Parallel()
	for seed := range uint64(80) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n := &naive{pages: randomWiki(rng, 1+rng.IntN(40))}
		dir := t.TempDir()
		n.opt = mediawiki.Options{
			XML:          []string{write(t, dir, "history", export(n.pages...))},
			IncludeMinor: rng.IntN(2) == 0, RegisteredOnly: rng.IntN(2) == 0,
		}
		if rng.IntN(2) == 0 {
			n.wanted = []string{"A", "D", "E & <F>", "A/B/C"}[rng.IntN(3):]
			n.opt.Titles = write(t, dir, "titles", strings.Join(n.wanted, "\n"))
		}
		var links [][2]int
		for from := range n.pages {
			for range rng.IntN(6) {
				links = append(links, [2]int{from, rng.IntN(len(n.pages))})
			}
		}
		n.opt.PageLinks = []string{write(t, dir, "pagelinks", linkDump(n.pages, links))}
		got, sum, err := imported(t, n.opt)
		check.OKf(t, err, "seed %d", seed)
		want := n.tables()
		want["hyperlink.tsv"] = n.links(links)
		rows := int64(0)
		for name, lines := range want {
			sorted := strings.Split(strings.TrimSuffix(got[name], "\n"), "\n")[1:]
			slices.Sort(sorted)
			rows += int64(len(lines))
			check.MustEqual(t, fmt.Sprintf("seed %d, %s", seed, name), sorted, lines, cmp.Transformer("empty", func(s []string) string { return strings.Join(s, "\n") }))
		}
		check.Is(t, sum.ArticleEdits+sum.ArticleTalk+sum.UserTalk+sum.Hyperlinks, rows, "seed %d, rows counted", seed)
	}
}

// linkDump writes links as pagelinks.
func linkDump(pages []page, links [][2]int) string {
	rows := make([]string, len(links))
	for i, l := range links {
		to := pages[l[1]]
		title := strings.NewReplacer(" ", "_", "'", `\'`, `"`, `\"`).Replace(to.title)
		rows[i] = fmt.Sprintf("(%d,%d,'%s',0)", pages[l[0]].id, to.space, title)
	}
	return dumpOf(createPageLinks, rows...)
}

// TestImport_SplitAnywhere holds that the parts in which a history comes do not matter.
func TestImport_SplitAnywhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for n := range len(wiki) + 1 {
		parts := []string{
			write(t, dir, fmt.Sprint(n, "a"), export(wiki[:n]...)), write(t, dir, fmt.Sprint(n, "b"), export(wiki[n:]...)),
		}
		got, _, err := imported(t, mediawiki.Options{XML: parts})
		check.OK(t, err)
		for _, name := range []string{"article_edit.tsv", "article_talk.tsv", "user_talk.tsv"} {
			check.Equal(t, fmt.Sprintf("split at %d, %s", n, filepath.Base(name)), got[name], wikiTables[name])
		}
	}
}
