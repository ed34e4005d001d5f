package progress

import (
	"time"

	"resolwe/internal/elementary"
)

// estimate estimates the time that a job has left. What it says never grows: if the job turns out to be slower, it stays and is
// called a lower bound.
type estimate struct {
	last   time.Duration // when units were last done
	done   int64         // by then
	step   float64       // units that were done at once then
	recent float64       // units a second, lately
	then   float64       // seconds left then
	known  bool
	least  float64 // seconds: the least so far
}

// Before this time, or this share of the work, there is no estimate: it could only fall, and a fast beginning would bind it.
const (
	early      = 2 * time.Second
	earlyShare = .02
	late       = 10 * time.Second // after which the share does not matter
)

// margin is the share by which an estimate exceeds what rates say at the beginning; it vanishes towards the end.
const margin = .1

// at returns the time left as text, "" if it is not known, given the time since the start and the units done, of a total, or -1.
// It goes by the slower of two rates: over all, and of the last quarter or so. Between units it counts down to what is left after the next ones.
func (e *estimate) at(elapsed time.Duration, done, total int64) string {
	since, left := (elapsed - e.last).Seconds(), float64(total-done)
	share := float64(done) / float64(max(total, 1))
	if done > e.done && since > 0 {
		fresh := 1 - elementary.Exp(-since/max(3, elapsed.Seconds()/4))
		e.recent += float64(fresh * (float64(done-e.done)/since - e.recent))
		rate := float64(done) / elapsed.Seconds()
		if elapsed > late { // before, the recent rate is still near the 0 that it begins with
			rate = min(rate, e.recent)
		}
		e.then = left / rate * (1 + float64(margin*(1-share)))
		e.step, e.last, e.done, since = float64(done-e.done), elapsed, done, 0
	}
	if done == 0 || total <= done || elapsed < early || elapsed < late && share < earlyShare {
		return ""
	}
	raw := max(e.then-since, (left-e.step)*elapsed.Seconds()/(float64(done)+e.step)) // at least as if as many units were done now
	if !e.known || raw < e.least {
		e.known, e.least = true, raw
	}
	text := round(time.Duration(e.least * float64(time.Second)))
	if raw-1 > 1.1*e.least {
		return "over " + text
	}
	return text
}

// round returns a time, at least a second, in steps of 5 seconds from a minute on, and of a minute from an hour on.
func round(d time.Duration) string {
	switch {
	case d >= time.Hour:
		text := d.Round(time.Minute).String()
		return text[:len(text)-len("0s")]
	case d >= time.Minute:
		return d.Round(5 * time.Second).String()
	}
	return max(time.Second, d.Round(time.Second)).String()
}
