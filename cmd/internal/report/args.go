package report

import "time"

// Seconds are how long a command took. They are on its page, but in its data only if the data may differ from run to run.
type Seconds struct {
	Taken  float64
	InData bool
}

// Args are the flags that say how to print results.
type Args struct {
	JSON    bool `help:"Print JSON." name:"json" xor:"form"`
	Timings bool `help:"Add seconds to JSON and CSV output, which is otherwise the same in every run."`
}

// Since returns the seconds since a command began.
func (a *Args) Since(began time.Time) Seconds {
	return Seconds{Taken: time.Since(began).Seconds(), InData: a.Timings}
}

// Data returns a value for an object, or nil, which the object leaves out, if seconds are not wanted.
func (s Seconds) Data() any {
	if !s.InData {
		return nil
	}
	return s.Taken
}
