package paperscale_test

import (
	"fmt"
	"os"
	"path/filepath"

	"resolwe/bench/paperscale"
)

func ExampleWikiCollabs() {
	dir, err := os.MkdirTemp("", "paper")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	stats, err := paperscale.WikiCollabs(dir, paperscale.Options{Scale: 0.01, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(stats.Rule)
	for _, name := range []string{"centers", "editors", "hyperlinks"} {
		fmt.Println(name, stats.Figure(name))
	}
	fmt.Println(stats.Signals[1].Role, stats.Signals[1].Formula)
	tables, err := filepath.Glob(filepath.Join(dir, "*.tsv"))
	fmt.Println(len(tables), err)
	// Output:
	// edits on at least 30 days, at least 30 collaborators, at most 15 articles
	// centers 18
	// editors 2801
	// hyperlinks 450
	// planted articleEdit(t1, u) ^ verySimilar(t1, t2) => modifies(t2, u)
	// 7 <nil>
}

func ExampleDelicious() {
	dir, err := os.MkdirTemp("", "paper")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	stats, err := paperscale.Delicious(dir, paperscale.Options{Scale: 0.01, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(stats.Figure("centers"), "centers,", stats.Figure("fans"), "fans,", stats.Figure("taggings"), "taggings")
	fmt.Println("noise:", stats.Noise)
	// Output:
	// 7 centers, 4255 fans, 488096 taggings
	// noise: [bkMarkBefore]
}
