package mediawiki_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"resolwe/format/mediawiki"
	"resolwe/internal/test/check"
)

// page is a page of a wiki that a test makes up.
type page struct {
	space     int
	id        int
	title     string
	redirect  string // empty where it is none
	revisions []revision
}

// revision is an edit. Users without a name have been deleted.
type revision struct {
	time       string
	user       string
	anonymous  bool
	minor      bool
	suppressed bool
}

func escape(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s))
	return b.String()
}

// export writes pages as stub-meta-history has them.
func export(pages ...page) string {
	var b strings.Builder
	b.WriteString(`<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>Test</sitename>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="1" case="first-letter">Talk</namespace>
    </namespaces>
  </siteinfo>
`)
	for _, p := range pages {
		fmt.Fprintf(&b, "  <page>\n    <title>%s</title>\n    <ns>%d</ns>\n    <id>%d</id>\n", escape(p.title), p.space, p.id)
		if p.redirect != "" {
			fmt.Fprintf(&b, "    <redirect title=\"%s\" />\n", escape(p.redirect))
		}
		for i, r := range p.revisions {
			r.write(&b, 1000*p.id+i)
		}
		b.WriteString("  </page>\n")
	}
	b.WriteString("</mediawiki>\n")
	return b.String()
}

func (r *revision) write(b *strings.Builder, id int) {
	fmt.Fprintf(b, "    <revision>\n      <id>%d</id>\n      <parentid>%d</parentid>\n      <timestamp>%s</timestamp>\n", id, id-1, r.time)
	switch {
	case r.user == "":
		b.WriteString("      <contributor deleted=\"deleted\" />\n")
	case r.anonymous:
		fmt.Fprintf(b, "      <contributor>\n        <ip>%s</ip>\n      </contributor>\n", escape(r.user))
	default:
		fmt.Fprintf(b, "      <contributor>\n        <username>%s</username>\n        <id>%d</id>\n      </contributor>\n", escape(r.user), len(r.user))
	}
	if r.minor {
		b.WriteString("      <minor />\n")
	}
	b.WriteString("      <comment>/* x */ &lt;ref&gt; &quot;a &amp; b&quot;</comment>\n      <origin>1</origin>\n      <model>wikitext</model>\n")
	if r.suppressed {
		b.WriteString("      <text bytes=\"10\" deleted=\"deleted\" />\n")
	} else {
		b.WriteString("      <text bytes=\"10\" sha1=\"abc\" location=\"tt:1\" id=\"1\" />\n")
	}
	b.WriteString("    </revision>\n")
}

// dumpOf writes a table as mysqldump does, with two rows in a statement.
func dumpOf(create string, rows ...string) string {
	name := strings.Split(create, "`")[1]
	var b strings.Builder
	fmt.Fprintf(&b, "-- MySQL dump 10.19\n--\n-- Host: db    Database: test; 'wiki'\n\n/*!40101 SET NAMES utf8 */;\n"+
		"DROP TABLE IF EXISTS `%s`;\n%s;\n\n--\n-- Dumping data for table `%s`\n--\n\n/*!40000 ALTER TABLE `%s` DISABLE KEYS */;\n",
		name, create, name, name)
	for len(rows) > 0 {
		n := min(2, len(rows))
		fmt.Fprintf(&b, "INSERT INTO `%s` VALUES %s;\n", name, strings.Join(rows[:n], ","))
		rows = rows[n:]
	}
	fmt.Fprintf(&b, "/*!40000 ALTER TABLE `%s` ENABLE KEYS */;\n-- Dump completed on 2024-01-01", name)
	return b.String()
}

const (
	createPage = "CREATE TABLE `page` (\n  `page_id` int(8) unsigned NOT NULL AUTO_INCREMENT,\n  `page_namespace` int(11) NOT NULL DEFAULT 0,\n" +
		"  `page_title` varbinary(255) NOT NULL DEFAULT '',\n  `page_is_redirect` tinyint(1) unsigned NOT NULL DEFAULT 0,\n  `page_random` double unsigned NOT NULL,\n" +
		"  PRIMARY KEY (`page_id`),\n  UNIQUE KEY `page_name_title` (`page_namespace`,`page_title`)\n) ENGINE=InnoDB AUTO_INCREMENT=9 DEFAULT CHARSET=binary"
	createPageLinks = "CREATE TABLE `pagelinks` (\n  `pl_from` int(8) unsigned NOT NULL DEFAULT 0,\n  `pl_namespace` int(11) NOT NULL DEFAULT 0,\n" +
		"  `pl_title` varbinary(255) NOT NULL DEFAULT '',\n  `pl_from_namespace` int(11) NOT NULL DEFAULT 0,\n  PRIMARY KEY (`pl_from`,`pl_namespace`,`pl_title`)\n) ENGINE=InnoDB"
	createPageLinksByTarget = "CREATE TABLE `pagelinks` (\n  `pl_from` int(8) unsigned NOT NULL DEFAULT 0,\n  `pl_from_namespace` int(11) NOT NULL DEFAULT 0,\n" +
		"  `pl_target_id` bigint(20) unsigned NOT NULL,\n  PRIMARY KEY (`pl_from`,`pl_target_id`)\n) ENGINE=InnoDB"
	createLinkTarget = "CREATE TABLE `linktarget` (\n  `lt_id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,\n  `lt_namespace` int(11) NOT NULL,\n" +
		"  `lt_title` varbinary(255) NOT NULL COMMENT 'a (short), title; \\'quoted\\'',\n  PRIMARY KEY (`lt_id`)\n) ENGINE=InnoDB"
	createCategoryLinks = "CREATE TABLE `categorylinks` (\n  `cl_from` int(8) unsigned NOT NULL DEFAULT 0,\n  `cl_to` varbinary(255) NOT NULL DEFAULT '',\n" +
		"  `cl_sortkey` varbinary(230) NOT NULL DEFAULT '',\n  `cl_type` enum('page','subcat','file') NOT NULL DEFAULT 'page',\n  PRIMARY KEY (`cl_from`,`cl_to`)\n) ENGINE=InnoDB"
	createCategoryLinksByTarget = "CREATE TABLE `categorylinks` (\n  `cl_from` int(8) unsigned NOT NULL DEFAULT 0,\n  `cl_sortkey` varbinary(230) NOT NULL DEFAULT '',\n" +
		"  `cl_type` enum('page','subcat','file') NOT NULL DEFAULT 'page',\n  `cl_target_id` bigint(20) unsigned NOT NULL\n) ENGINE=InnoDB"
	createExternalLinks = "CREATE TABLE `externallinks` (\n  `el_id` int(10) unsigned NOT NULL AUTO_INCREMENT,\n  `el_from` int(8) unsigned NOT NULL DEFAULT 0,\n" +
		"  `el_to` blob NOT NULL,\n  `el_index` blob NOT NULL,\n  PRIMARY KEY (`el_id`),\n  KEY `el_from` (`el_from`,`el_to`(40))\n) ENGINE=InnoDB"
	createExternalLinksByIndex = "CREATE TABLE `externallinks` (\n  `el_id` int(10) unsigned NOT NULL AUTO_INCREMENT,\n  `el_from` int(8) unsigned NOT NULL DEFAULT 0,\n" +
		"  `el_to_domain_index` varbinary(255) NOT NULL DEFAULT '',\n  `el_to_path` blob DEFAULT NULL,\n  PRIMARY KEY (`el_id`)\n) ENGINE=InnoDB"
)

func write(tb testing.TB, dir, name, text string) string {
	tb.Helper()
	path := filepath.Join(dir, name)
	check.OK(tb, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// tables returns the files of a folder, which may be absent.
func tables(tb testing.TB, dir string) map[string]string {
	tb.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		tb.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		check.OK(tb, err)
		all[e.Name()] = string(text)
	}
	return all
}

// imported runs an import into a folder of its own and returns its tables.
func imported(tb testing.TB, opt mediawiki.Options) (map[string]string, mediawiki.Summary, error) {
	tb.Helper()
	opt.Out = tb.TempDir()
	sum, err := mediawiki.Import(tb.Context(), opt)
	got := tables(tb, opt.Out)
	if err != nil && len(got) > 0 {
		tb.Errorf("after %v: got tables %v, want none", err, got)
	}
	return got, sum, err
}
