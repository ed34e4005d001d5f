package shards_test

import (
	"fmt"
	"strings"

	"resolwe/format/shards"
)

// Five subgraphs, the last of which takes as long as the others, for two machines.
func ExampleCut() {
	sizes, err := shards.Cut([]int64{1, 1, 1, 1, 4}, 2)
	fmt.Println(sizes, err)
	// Output: [4 1] <nil>
}

func ExampleRead() {
	_, err := shards.Read(strings.NewReader(`{"format": "resolwe shards 1", "subgraphs": 1, "shards": [
		{"file": "../elsewhere.rsg", "first": 0, "subgraphs": 1}]}`))
	fmt.Println(err)
	// Output: shard "../elsewhere.rsg": not the name of a file in or below the manifest's folder
}
