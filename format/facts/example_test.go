package facts_test

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"resolwe/format/facts"
	"resolwe/format/mln"
)

func ExampleReader() {
	schema := &mln.Schema{
		Types: []string{"article", "user"},
		Predicates: []mln.Predicate{
			{Name: "articleEdit", Args: []int{0, 1}, Role: mln.RoleEvidence},
			{Name: "modifies", Args: []int{0, 1}, Role: mln.RoleTarget},
		},
	}
	text := `
@subgraph s1 center=U1
articleEdit(A1, U1)
articleEdit(A1, "Élan vital")
modifies(A1, U1)
@subgraph s2 fold=3
@entity user U7 U8
?modifies(A2, U7)
articleEdit(A2, u8)`
	r, err := facts.NewReader(strings.NewReader(text), "wiki.db", schema)
	if err != nil {
		fmt.Println(err)
		return
	}
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(s.Name, s.Center, s.Domains[1].Size, "users,", s.Relations[0].True.Len(), "edits")
	}
	// Output:
	// s1 U1 2 users, 2 edits
	// wiki.db:9:17: u8 is no constant: constants begin with an upper-case letter or a digit, or are quoted
	// articleEdit(A2, u8)
	//                 ^
}
