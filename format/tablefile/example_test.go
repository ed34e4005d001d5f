package tablefile_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"resolwe/format/table"
	"resolwe/format/tablefile"
)

// A table of taggings by the users of two sites, whose ids are not to be mixed.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{
		"a.tagged.csv": "user,page,day\n1,Kyoto,2009-04-01\n2,\"Nara, Japan\",2009-04-02\n",
		"b.tagged.csv": "day,page,user\n2009-04-02,Kyoto,1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			log.Panic(err)
		}
	}

	u := table.NewUniverse([]string{"user", "page"})
	spec := &table.Spec{
		Name: "tagged", Types: []int{0, 1, -1}, Glob: "{site}.tagged.csv",
		Columns: []table.ColumnSpec{
			{Refs: []table.Ref{{Header: "user"}}, Prefix: "site"},
			{Refs: []table.Ref{{Header: "page"}}},
			{Func: "date", Refs: []table.Ref{{Header: "day"}}},
		},
	}
	t, err := new(tablefile.Reader).Load(context.Background(), u, spec, dir, nil)
	if err != nil {
		log.Panic(err)
	}
	users, pages, days := t.Columns[0], t.Columns[1], t.Columns[2]
	for row := range t.Rows {
		fmt.Println(u.Dicts[users.Type].Name(users.IDs[row]), u.Dicts[pages.Type].Name(pages.IDs[row]), days.Nums[row])
	}
	// Output:
	// a:1 Kyoto 14335
	// a:2 Nara, Japan 14336
	// b:1 Kyoto 14336
}
