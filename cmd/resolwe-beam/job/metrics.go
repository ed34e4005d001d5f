package job

import (
	"maps"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
)

// Namespace is the namespace of the counters.
const Namespace = "resolwe"

// log logs what the workers counted.
func (r *Runner) log(all []metrics.Results) {
	counters := map[string]int64{}
	distributions := map[string][]metrics.DistributionValue{}
	for _, results := range all {
		for _, c := range results.AllMetrics().Counters() {
			if c.Namespace() == Namespace {
				counters[c.Name()] += c.Result()
			}
		}
		for _, d := range results.AllMetrics().Distributions() {
			if d.Namespace() == Namespace {
				distributions[d.Name()] = append(distributions[d.Name()], d.Result())
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(counters)) {
		r.Log.Debug("counted", name, counters[name])
	}
	for name, values := range distributions {
		sum := values[0]
		for _, v := range values[1:] {
			sum = metrics.DistributionValue{
				Count: sum.Count + v.Count, Sum: sum.Sum + v.Sum, Min: min(sum.Min, v.Min), Max: max(sum.Max, v.Max),
			}
		}
		r.Log.Debug("measured", "what", name, "number", sum.Count, "sum", sum.Sum, "least", sum.Min, "most", sum.Max)
	}
}
