package workload

import (
	"context"
	"runtime/metrics"
	"time"
)

// Stage is a part of a workload.
type Stage struct {
	Name string
	Wall Spread // seconds
	CPU  Spread // seconds of all cores, of the program and of the system for it; NaN where that is not known
}

// stage collects the costs of a part, by run.
type stage struct {
	name      string
	wall, cpu []float64
}

// run does the part once, and adds what it cost.
func (s *stage) run(f func() error) error {
	cpu, start := cpuSeconds(), time.Now()
	err := f()
	s.wall = append(s.wall, time.Since(start).Seconds())
	s.cpu = append(s.cpu, cpuSeconds()-cpu)
	return err
}

// spread sums up the runs.
func (s *stage) spread() Stage {
	return Stage{Name: s.name, Wall: NewSpread(s.wall), CPU: NewSpread(s.cpu)}
}

// sampleEvery is short beside a stage, long beside a sample.
const sampleEvery = time.Millisecond

// peak returns the most memory that the program held itself while f ran, in bytes. Mapped files do not count: their
// pages are the system's.
func peak(f func() error) (uint64, error) {
	ctx, stop := context.WithCancel(context.Background())
	most := make(chan uint64)
	go func() {
		tick := time.NewTicker(sampleEvery)
		defer tick.Stop()
		n := held()
		for ctx.Err() == nil {
			select {
			case <-tick.C:
			case <-ctx.Done():
			}
			n = max(n, held())
		}
		most <- n
	}()
	err := f()
	stop()
	return <-most, err
}

// held returns the bytes that the program has from the system.
func held() uint64 {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64() - s[1].Value.Uint64()
}
