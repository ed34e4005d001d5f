package stage

import (
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn2x0[int, func(*string) bool](&forgetFn{})
	register.Iter1[string]()
}

// forEach runs a DoFn on elements, which it returns. They are grouped for nobody: while a stage without any output runs,
// Prism waits for it in a loop that takes a core.
func forEach(scope beam.Scope, fn any, elements beam.PCollection) {
	done := beam.AddFixedKey(scope, beam.ParDo(scope, fn, elements))
	beam.ParDo0(scope, &forgetFn{}, beam.GroupByKey(scope, done))
}

// forgetFn does nothing.
type forgetFn struct{}

// ProcessElement ends a pipeline.
func (*forgetFn) ProcessElement(int, func(*string) bool) {}
