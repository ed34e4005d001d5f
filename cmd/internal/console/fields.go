package console

import (
	"strings"

	"resolwe/internal/printable"
)

// flags maps fields of options to the names of their flags.
var flags = strings.NewReplacer(
	"in ModelOptions.Targets", "with --target", "resolwe.Stream", "--stream", "ShardOptions.Shards", "--shards",
	"ExplainOptions.Subgraph", "--subgraph", "ExplainOptions.Atom", "--atom",
	"EvaluateFormula.formula", "--formula", "Subset.Fold", "--fold", "Subset.Split", "--split",
	"DiscoverOptions.Subgraphs", "--k1", "DiscoverOptions.Length", "--length", "DiscoverOptions.Support", "--support",
	"DiscoverOptions.Values", "--values", "DiscoverOptions.Max", "--max", "DiscoverOptions.Memory", "--memory",
	"GainOptions.Formulas", "--formulas", "GainOptions.Depth", "--depth", "GainOptions.Support", "--support", "GainOptions.Shrink", "--shrink",
	"GainOptions.Rows", "--rows", "GainOptions.Inner", "--inner", "GainOptions.Parsimony", "--parsimony",
	"GainOptions.Gate", "--gate", "GainOptions.Alone", "--established",
	"SelectOptions.Criterion", "--criterion", "SelectOptions.Subgraphs", "--k2", "SelectOptions.Threshold", "--theta",
	"LearnOptions.Batch", "--batch", "LearnOptions.Curve", "--curve", "LearnOptions.Method", "--method",
	"LearnOptions.Passes", "--passes", "LearnOptions.Sampler", "--sampler", "LearnOptions.Samples", "--cd-samples",
	"LearnOptions.Sample", "--exact", "LearnOptions.Seed", "--seed", "LearnOptions.Sigma", "--sigma",
	"LearnOptions.Skip", "--skip", "LearnOptions.Subgraphs", "--subgraphs", "distributed.MixMethod", "--mix",
	"InferOptions.BurnIn", "--burn-in", "InferOptions.Chains", "--chains", "InferOptions.Error", "--error",
	"InferOptions.Method", "--method", "InferOptions.Given", "--given", "InferOptions.Samples", "--samples", "InferOptions.Sweeps", "--sweeps",
	"MapOptions.Method", "--method", "MapOptions.Sweeps", "--sweeps",
	"crossval.Options.Folds", "--folds", "crossval.Options.Forward", "--forward", "crossval.Options.LearnOn", "--learn-on", "crossval.Options.Systems", "--systems",
	"crossval.Options.Null", "--null", "crossval.Options.Test", "--test", "report.Options.Rate", "--population-rate",
	"watch.Options.Start", "--start", "watch.Options.Block", "--block", "watch.Options.Horizons", "--horizons", "watch.Options.Alarm", "--alarm",
	"watch.Options.Margin", "--margin", "watch.Options.Delay", "--delay", "watch.Options.Adapt", "--adapt", "watch.Options.Sigma", "--sigma",
	"watch.Options.Select", "--seed",
	"grow.Options.Keep", "--keep", "grow.Options.Budget", "--budget",
	"LearnOn: LearnAll", "--learn-on all", "forecast.Options.Sample", "--take", "forecast.Options.Budget", "--budget",
)

// Message returns the text of an error, with the names of flags instead of fields of options, and with terminal control sequences
// escaped.
func Message(err error) string { return printable.Escape(flags.Replace(err.Error())) }
