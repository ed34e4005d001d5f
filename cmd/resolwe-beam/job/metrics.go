package job

import (
	"cmp"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
)

// Namespace is that of the counters.
const Namespace = "resolwe"

// log prints what the workers counted.
func (r *Runner) log(results metrics.Results) {
	counters := results.AllMetrics().Counters()
	slices.SortFunc(counters, func(a, b metrics.CounterResult) int { return cmp.Compare(a.Name(), b.Name()) })
	for _, c := range counters {
		if c.Namespace() == Namespace {
			r.Log.Debug("counted", c.Name(), c.Result())
		}
	}
	for _, d := range results.AllMetrics().Distributions() {
		if v := d.Result(); d.Namespace() == Namespace {
			r.Log.Debug("measured", "what", d.Name(), "number", v.Count, "sum", v.Sum, "least", v.Min, "most", v.Max)
		}
	}
}
