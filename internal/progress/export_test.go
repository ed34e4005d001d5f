package progress

import "time"

// Estimate estimates the time left.
type Estimate struct{ estimate }

// At returns it as text.
func (e *Estimate) At(elapsed time.Duration, done, total int64) string {
	return e.at(elapsed, done, total)
}
