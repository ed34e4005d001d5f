package paperscale

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Options say how much is generated.
type Options struct {
	Scale float64 // of the paper's counts; above 0, at most [MaxScale]; 0 stands for 1
	Seed  uint64

	// Progress, if not nil, hears for which of the entities that a table is about the rows are written. It is called
	// on the caller's goroutine.
	Progress func(table string, done, total int64)
	// Done, if not nil, is closed to stop early. The error then matches [context.Canceled].
	Done <-chan struct{}
}

// MaxScale is the largest scale.
const MaxScale = 16

// ErrScale says that a scale is out of range.
var ErrScale = errors.New("scale is out of range")

func (o *Options) setDefaults() error {
	if o.Scale == 0 {
		o.Scale = 1
	}
	if !(o.Scale > 0 && o.Scale <= MaxScale) { // NaN too
		return fmt.Errorf("%w: %v is not above 0 and at most %d", ErrScale, o.Scale, MaxScale)
	}
	return nil
}

// scaled is a count of the paper at this scale, at least floor.
func (o *Options) scaled(count, floor int) int {
	return max(floor, int(math.Round(float64(count)*o.Scale)))
}

// report tells how far a table is. It returns an error where the caller is to stop.
func (o *Options) report(table string, done, total int) error {
	if o.Progress != nil {
		o.Progress(table, int64(done), int64(total))
	}
	select {
	case <-o.Done:
		return fmt.Errorf("%s: %w", table, context.Canceled)
	default:
		return nil
	}
}
