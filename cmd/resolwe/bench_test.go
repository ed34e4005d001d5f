package main_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"resolwe/internal/test/check"
)

func TestBench_JSONKeys(t *testing.T) {
	t.Parallel()
	const model, facts = "testdata/cases/three-targets/model.mln", "testdata/cases/three-targets/facts.db"
	stream := filepath.Join(t.TempDir(), "s.rsg")
	output(t, "pack", model, facts, "-o", stream)
	measured := "bytes edges groundings groundings_per_second over_pass peak_bytes rows stages subgraphs_per_second " +
		"word_bytes_per_cpu_second words workers"
	tests := []struct{ name, args, path, want string }{
		{"select", "select", "", "measured runs subgraphs workload"},
		{"scaling", "select --scaling --workers 2", "", "measured runs scaling subgraphs workload"},
		{"measured", "select", "measured", measured},
		{"stage", "select", "measured stages", "cpu name wall"},
		{"spread", "read", "measured stages wall", "least median most"},
		{"point", "select --scaling --workers 2", "scaling", "speedup wall workers"},
		{
			"cluster", "cluster --subgraphs 1e5 --cores 16", "",
			"bytes cost cv epochs plans runs seed shard_bytes shard_cv stage workload",
		},
		{
			"plan", "cluster --subgraphs 1e5 --cores 16", "plans",
			"busy bytes_per_shard core_hours cores lost price shards subgraphs subgraphs_per_shard wall wall_least wall_most",
		},
		{"skew", "skew --subgraphs 2 --factor 1 --workers 2", "", "factor runs scaling subgraphs workload"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"bench"}, strings.Fields(tt.args)...)
			if args[1] == "select" || args[1] == "read" {
				args = append(args, model, "--stream", stream)
			}
			value := first(printed[any](t, append(args, "--runs", "1")...))
			for key := range strings.FieldsSeq(tt.path) {
				value = first(value[key])
			}
			want := strings.Fields(tt.want)
			slices.Sort(want)
			check.Equal(t, "keys", slices.Sorted(maps.Keys(value)), want)
		})
	}
}
