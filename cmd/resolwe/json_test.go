package main_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"resolwe/internal/test/check"
)

// TestJSONKeys compares the keys of each command's JSON, in nested objects too, where lists show their first element.
func TestJSONKeys(t *testing.T) {
	t.Parallel()
	const model, facts = "testdata/cases/three-targets/model.mln", "testdata/cases/three-targets/facts.db"
	stream := filepath.Join(t.TempDir(), "s.rsg")
	output(t, "pack", model, facts, "-o", stream)
	measures := "accuracy auc_pr auc_roc auc_roc_pooled log_loss brier calibration_error cll map map_all_ranks tn_all_ranks precision_10 precision_50 precision_1pct lift_10 lift_50 lift_1pct"
	const intervals = " accuracy_ci95 auc_pr_ci95 auc_roc_pooled_ci95 log_loss_ci95 cluster clusters"
	tests := []struct{ name, args, path, want string }{
		{"expand", "expand " + model, "", "count formulas"},
		{"select", "select --criterion paper " + model, "", "candidates criterion k2 selected subgraphs theta"},
		{"gain", "select " + model, "", "candidates criterion gain k2 selected subgraphs"},
		{"gain of a target", "select " + model, "gain", "atoms base_rate bias family folds formulas held_out held_out_base gate offered path shrink subgraphs target"},
		{"select timed", "select --criterion paper --timings " + model, "", "candidates criterion k2 seconds selected subgraphs theta"},
		{"candidate", "select --criterion paper " + model, "candidates", "conditional formula joint selected"},
		{"joint", "select --criterion paper " + model, "candidates joint", "defined mean"},
		{"conditional", "select --criterion paper " + model, "candidates conditional", "defined literal mean"},
		{"joint by lift", "select --criterion lift " + model, "candidates joint", "expected selected_groundings true value"},
		{"learn", "learn " + model, "", "converged gradient objective passes short sigma subgraphs weights"},
		{"weight", "learn " + model, "weights", "formula weight"},
		{"infer", "infer testdata/weighted.mln", "", "diagnostics marginals subgraph"},
		{"map", "map testdata/weighted.mln", "", "broken exact logweight state subgraph"},
		{"counts", "counts " + model, "", "counts subgraph"},
		{"eval", "eval testdata/weighted.mln", "", measures + intervals + " subgraphs subgraphs_with_truth"},
		{"crossval", "crossval --folds 2 --learn-on all " + model, "", "criterion few_subgraphs folds k2 learned_on overlap systems tests theta"},
		{"system", "crossval --folds 2 --learn-on all " + model, "systems", measures + intervals + " by_fold name formulas"},
		{"fold of a system", "crossval --folds 2 --learn-on all " + model, "systems by_fold", measures},
		{"system timed", "crossval --folds 2 --learn-on all --timings " + model, "systems", measures + intervals + " by_fold name formulas seconds"},
		{"bench", "bench select --runs 1", "", "measured runs subgraphs workload"},
		{"bench scaling", "bench select --runs 1 --scaling --workers 2", "", "measured runs scaling subgraphs workload"},
		{
			"bench measured", "bench select --runs 1", "measured", "bytes edges groundings groundings_per_second over_pass peak_bytes rows " +
				"stages subgraphs_per_second word_bytes_per_cpu_second words workers",
		},
		{"bench stage", "bench select --runs 1", "measured stages", "cpu name wall"},
		{"bench spread", "bench read --runs 1", "measured stages wall", "least median most"},
		{"bench point", "bench select --runs 1 --scaling --workers 2", "scaling", "speedup wall workers"},
		{"test", "crossval --folds 2 --learn-on all " + model, "tests", "against ci95 df mean_difference measure n p t unit"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(tt.args)
			switch {
			case args[0] == "bench":
				args = append(args, model, "--stream", stream)
			case args[0] != "expand":
				args = append(args, "--stream", facts)
			}
			value := first(printed[any](t, args...))
			for key := range strings.FieldsSeq(tt.path) {
				value = first(value[key])
			}
			want := strings.Fields(tt.want)
			slices.Sort(want)
			check.Equal(t, "keys", slices.Sorted(maps.Keys(value)), want)
		})
	}
}

// first returns an object, or the first of a list of objects.
func first(value any) map[string]any {
	if list, ok := value.([]any); ok && len(list) > 0 {
		value = list[0]
	}
	object, _ := value.(map[string]any)
	return object
}

// TestJSONNull has measures and means that are undefined.
func TestJSONNull(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	model, facts := filepath.Join(dir, "m.mln"), filepath.Join(dir, "f.db")
	os.WriteFile(model, []byte("friends(person, person)\ntarget smokes(person)\nfriends(x, y) ^ smokes(x) => smokes(y)\n"), 0o600)
	os.WriteFile(facts, []byte("@entity person A B\n"), 0o600)
	weighted := filepath.Join(dir, "w.mln")
	os.WriteFile(weighted, []byte("friends(person, person)\ntarget smokes(person)\n1 friends(x, y) ^ smokes(x) => smokes(y)\n"), 0o600)
	eval := printed[map[string]any](t, "eval", weighted, "--stream", facts)
	if v, ok := eval["map"]; !ok || v != nil {
		t.Errorf("got map %v, want null", v)
	}
	joint := first(first(printed[any](t, "select", model, "--criterion", "paper", "--stream", facts))["candidates"])["joint"]
	want := map[string]any{"mean": nil, "defined": 0.0}
	check.Equal(t, "joint", joint, any(want))
	empty := filepath.Join(dir, "empty.db")
	os.WriteFile(empty, nil, 0o600)
	check.Contains(t, output(t, "infer", weighted, "--stream", empty, "--json"), `"marginals":{}`, "an empty file")
}

// A list without elements is [], as null is an undefined value.
func TestJSON_NoFormulas(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	model, facts := filepath.Join(dir, "m.mln"), filepath.Join(dir, "a.db")
	check.OK(t, os.WriteFile(model, []byte("a(x)\ntarget p(x)\n"), 0o600))
	check.OK(t, os.WriteFile(facts, []byte("a(A)\np(A)\n"), 0o600))
	check.Equal(t, "counts", output(t, "counts", model, "--stream", facts, "--json"), "[\n {\"subgraph\":\"a\",\"counts\":[]}\n]\n")
	check.Equal(t, "expand", output(t, "expand", model, "--json"), "{\n \"formulas\": [],\n \"count\": 0\n}\n")
}
