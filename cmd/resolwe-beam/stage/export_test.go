package stage

import "resolwe/cmd/resolwe-beam/shard"

// SetDisturb has f make workers fail, before they open a shard. It returns what puts an end to it.
func SetDisturb(f func(shard.Shard) error) func() {
	old := disturb
	disturb = f
	return func() { disturb = old }
}

// Records represents the contents of the stream that a learner learns on.
func Records(l *Learner) string { return l.worker.Records }
