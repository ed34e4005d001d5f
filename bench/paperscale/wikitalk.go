package paperscale

// How communication comes about.
const (
	memberTalkRate = 0.5 // that a member of a project writes to another
	writerShare    = 0.2 // of the users write to others at all
	writerTail     = 1.1 // Pareto exponent of how many
	ownerExponent  = 0.6 // power law of how many write to one
)

// writeTalk draws distinct pairs: within projects, and to reach the total at random.
func (w *wiki) writeTalk(stats *Stats) error {
	t, err := w.out.create("user_talk", "writer", "owner")
	if err != nil {
		return err
	}
	r := newRand(w.opt.Seed, streamTalk)
	n := w.size.editors
	w.talk = make([][]int32, n)
	planted := 0
	for _, members := range w.members {
		for _, a := range members {
			for _, b := range members {
				if a != b && chance(r, memberTalkRate) {
					w.talk[a] = append(w.talk[a], b)
					planted++
				}
			}
		}
	}
	weights := make([]float64, n)
	for u := range weights {
		if chance(r, writerShare) {
			weights[u] = pareto(r, writerTail, float64(n))
		}
	}
	quota := apportion(weights, max(0, w.size.talk-planted), 0, n/4)
	owners, popularOwner := permutation(r, n), newPowerLaw(n, ownerExponent, 0.001)
	written := make([]int32, n) // by owner: the last writer, counted from 1
	for u := range int32(n) {
		written[u] = u + 1
		for _, owner := range w.talk[u] {
			written[owner] = u + 1
		}
		for left := quota[u]; left > 0; {
			if owner := owners[popularOwner.rank(r)]; written[owner] != u+1 {
				written[owner] = u + 1
				w.talk[u] = append(w.talk[u], owner)
				left--
			}
		}
		for _, owner := range w.talk[u] {
			t.id('U', u)
			t.id('U', owner)
			t.end()
		}
		if u%4096 == 0 {
			if err := w.opt.report("user_talk", int(u), n); err != nil {
				return err
			}
		}
	}
	stats.figure("pairs of editors that communicate", float64(t.count), 7_874_985)
	stats.figure("such pairs within a project, planted", float64(planted), 0)
	return w.opt.report("user_talk", n, n)
}
