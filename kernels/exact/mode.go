package exact

import (
	"math"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
)

// mode is the memory of the search for the most probable state.
type mode struct {
	choice []uint32     // by separator's entry: value of the node's variable in the best state below
	hash   []uint64     // by separator's entry: hash of that state, of the node's variable and those below
	table  []uint64     // by entry of the node's table: likewise, given the variable's value
	least  []uint32     // by node: the least atom of its variable and of those below it
	value  []uint32     // by variable
	known  []comparison // by hash: its latest comparison
}

// pairOfStates are two states of a node's separator.
type pairOfStates struct{ node, a, b uint32 }

// difference is the first atom at which two states of the atoms below a separator differ, none if they agree, and whether it is false in
// the first state.
type difference struct {
	atom  uint32
	first bool
}

// comparison is a compared pair of states; node is one more than the pair's.
type comparison struct {
	pairOfStates
	difference
}

// mostKnown bounds the number of comparisons remembered.
const mostKnown = 1 << 16

// Tolerances within which two states' energies count as equal: an absolute one, and a fraction of the energies summed. They cover rounding,
// including that of shapes to multiples of network.Unit.
const (
	slackAtLeast = 1e-9
	slackOf      = 1e-14
)

// Mode sets x, by atom of the network, to the most probable state of the component's atoms under the model's current weights; among equally
// probable states to the first in the order of the atoms, false before true. It reuses the memory of [Tree.Sum]. The error is a
// *loglinear.UnsatisfiableError.
func (t *Tree) Mode(x []bool) error {
	if err := t.constant(); err != nil {
		return err
	}
	nodes := len(t.cliques) - 1
	entries := t.cliques[nodes].at
	t.up, t.mode.choice, t.mode.hash = grow.To(t.up, entries), grow.To(t.mode.choice, entries), grow.To(t.mode.hash, entries)
	t.mode.value, t.mode.least = grow.To(t.mode.value, len(t.vars.arity)), grow.To(t.mode.least, nodes)
	known := 1
	for known < min(mostKnown, t.order.total) {
		known *= 2
	}
	t.mode.known = grow.Zeroed(t.mode.known, known)
	for n := range uint32(nodes) {
		least := t.vars.members.Of(t.order.variable[n])[0]
		for _, c := range t.children.Of(n) {
			least = min(least, t.mode.least[c])
		}
		t.mode.least[n] = least
		t.gather(n)
		t.cliques[n].low = t.magnitude(n)
		t.fill(true)
		t.hashStates(n)
		if !t.maximise(n) {
			return t.unsatisfiable(n)
		}
	}
	for n := uint32(nodes); n > 0; {
		n--
		t.mode.value[t.order.variable[n]] = t.mode.choice[t.cliques[n].at+t.entry(n)]
	}
	for _, a := range t.vars.atoms {
		x[a] = t.vars.holds(a, t.mode.value)
	}
	return nil
}

// entry returns the entry of a node's separator for the variables' values.
func (t *Tree) entry(n uint32) int {
	entry, step := 0, 1
	for _, s := range t.order.separator(n) {
		entry += int(t.mode.value[t.order.variable[s]]) * step
		step *= t.values(s)
	}
	return entry
}

// hashStates sets, for each entry of a node's table, the hash of the best state below, a sum over the variables. States with equal hashes
// are taken to be equal; that is wrong for one of 2^64 pairs that differ.
func (t *Tree) hashStates(n uint32) {
	d := &t.node
	table := grow.To(t.mode.table, d.size[len(d.dims)])
	for v := range d.counts[0] {
		table[v] = elementary.Mix(uint64(n)<<32 | uint64(v))
	}
	expand(d, table, func(it *item) {
		if it.message {
			add(&d.walk, table, t.mode.hash[it.at:it.end])
		}
	})
	t.mode.table = table
}

// magnitude returns the largest sum of energies at a node or below it.
func (t *Tree) magnitude(n uint32) float64 {
	sum, below := 0.0, 0.0
	for i := range t.node.items {
		sum += largest(t.valuesOf(&t.node.items[i]))
	}
	for _, c := range t.children.Of(n) {
		below = max(below, t.cliques[c].low)
	}
	return max(sum, below)
}

// largest returns the largest absolute value of the finite values.
func largest(values []float64) float64 {
	top := 0.0
	for _, v := range values {
		if !math.IsInf(v, -1) {
			top = max(top, math.Abs(v))
		}
	}
	return top
}

// maximise sets the message and the choices of a node, and reports whether some state is possible.
func (t *Tree) maximise(n uint32) bool {
	values, c := t.node.counts[0], &t.cliques[n]
	message, slack := t.message(n), slackAtLeast+float64(slackOf*c.low)
	for s := range message {
		best, choice := math.Inf(-1), uint32(0)
		for v, w := range t.node.table[s*values : (s+1)*values] {
			switch {
			case math.IsInf(w, -1):
			case math.IsInf(best, -1), w > best+slack:
				best, choice = w, uint32(v)
			case w >= best-slack:
				if t.compare(n, uint32(s), uint32(s), uint32(v), choice).first {
					choice = uint32(v)
				}
				best = max(best, w)
			}
		}
		message[s], t.mode.choice[c.at+s] = best, choice
		t.mode.hash[c.at+s] = t.mode.table[s*values+int(choice)]
	}
	top, _ := scale(message)
	c.logs = true
	return !math.IsInf(top, -1)
}

// compare compares the best states of a node's variable and those below it, for two pairs of a separator's state and the variable's value.
func (t *Tree) compare(n, a, b, valueA, valueB uint32) difference {
	d := difference{atom: none}
	if valueA != valueB {
		for _, atom := range t.vars.members.Of(t.order.variable[n]) {
			p := t.vars.of[atom]
			if at := p.holds(valueA); at != p.holds(valueB) {
				d = difference{atom, !at}
				break
			}
		}
	}
	for _, c := range t.children.Of(n) {
		if t.mode.least[c] > d.atom {
			continue
		}
		if below := t.compareBelow(c, t.project(n, c, a, valueA), t.project(n, c, b, valueB)); below.atom < d.atom {
			d = below
		}
	}
	return d
}

// compareBelow compares the best states of a node's variable and of those below it, given two states of its separator.
func (t *Tree) compareBelow(n, a, b uint32) difference {
	if hash := t.mode.hash[t.cliques[n].at:]; hash[a] == hash[b] {
		return difference{atom: none}
	}
	known := &t.mode.known[int(elementary.Mix(elementary.Mix(elementary.Mix(uint64(n))+uint64(a))+uint64(b)))&(len(t.mode.known)-1)]
	if pair := (pairOfStates{n + 1, a, b}); known.pairOfStates != pair {
		choice := t.mode.choice[t.cliques[n].at:]
		*known = comparison{pair, t.compare(n, a, b, choice[a], choice[b])}
	}
	return known.difference
}

// project returns the state of a child's separator, given that of the node's separator and its variable's value.
func (t *Tree) project(n, child, state, value uint32) uint32 {
	entry, step := uint32(0), uint32(1)
	separator := t.order.separator(n)
	i := 0
	for _, s := range t.order.separator(child) {
		if s == n {
			entry, step = value, uint32(t.values(n))
			continue
		}
		for separator[i] != s {
			state /= uint32(t.values(separator[i]))
			i++
		}
		k := uint32(t.values(s))
		entry += state % k * step
		step *= k
	}
	return entry
}
