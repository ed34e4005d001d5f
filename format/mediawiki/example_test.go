package mediawiki_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"resolwe/format/mediawiki"
)

const exampleHistory = `<mediawiki>
  <page>
    <title>Martini</title>
    <ns>0</ns>
    <id>7</id>
    <revision>
      <timestamp>2009-10-07T12:00:00Z</timestamp>
      <contributor><username>Ann</username><id>1</id></contributor>
    </revision>
    <revision>
      <timestamp>2009-10-08T12:00:00Z</timestamp>
      <contributor><ip>192.0.2.1</ip></contributor>
      <minor />
    </revision>
  </page>
  <page>
    <title>Gin</title>
    <ns>0</ns>
    <id>8</id>
  </page>
</mediawiki>
`

const exampleLinks = "CREATE TABLE `pagelinks` (\n  `pl_from` int,\n  `pl_namespace` int,\n  `pl_title` varbinary(255)\n);\n" +
	"INSERT INTO `pagelinks` VALUES (7,0,'Gin'),(7,0,'Vermouth'),(8,0,'Martini');\n"

func ExampleImport() {
	dir, err := os.MkdirTemp("", "mediawiki")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	history, links := filepath.Join(dir, "history.xml"), filepath.Join(dir, "pagelinks.sql")
	os.WriteFile(history, []byte(exampleHistory), 0o600)
	os.WriteFile(links, []byte(exampleLinks), 0o600)

	sum, err := mediawiki.Import(context.Background(), mediawiki.Options{
		XML:       []string{history},
		PageLinks: []string{links},
		Out:       dir,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d articles, %d edit, %d minor edit left out, %d links\n", sum.Articles, sum.ArticleEdits, sum.Minor, sum.Hyperlinks)
	for _, name := range []string{"article_edit.tsv", "hyperlink.tsv"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s\n%s", name, text)
	}
	// Output:
	// 2 articles, 1 edit, 1 minor edit left out, 2 links
	// article_edit.tsv
	// article	user	timestamp	minor
	// Martini	Ann	2009-10-07T12:00:00Z	0
	// hyperlink.tsv
	// from	to
	// Martini	Gin
	// Gin	Martini
}
