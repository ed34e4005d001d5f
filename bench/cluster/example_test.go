package cluster_test

import (
	"fmt"

	"resolwe/bench/cluster"
)

// Ten shards of a hundred seconds on four cores, the machines of which fail never: three rounds.
func ExampleSimulate() {
	task := &cluster.Task{Subgraphs: 1000, Cost: 1, Epochs: 1}
	on := &cluster.Cluster{Cores: 4, MachineCores: 1, Slowdown: 1}
	p, err := cluster.Simulate(task, on, 10, cluster.Options{Runs: 1})
	fmt.Println(p.Wall, err)
	// Output: 300 <nil>
}
