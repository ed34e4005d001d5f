package exact

import (
	"math"
	"math/bits"

	"resolwe/internal/elementary"
	"resolwe/internal/grow"
)

// Sum sums over the states of the component under the model's current weights, for [Tree.LogZ] and [Tree.Marginal]. The error is a
// *loglinear.UnsatisfiableError.
func (t *Tree) Sum() error {
	if err := t.collect(); err != nil {
		return err
	}
	t.distribute()
	return nil
}

// LogZ returns the logarithm of the sum over the states of exp(sum of w_i n_i), without the network's constants.
func (t *Tree) LogZ() float64 { return t.logZ }

// Marginal returns the probability that an atom of the component is true.
func (t *Tree) Marginal(a uint32) float64 {
	p := t.vars.of[a]
	if p.variable == none {
		if p.negated {
			return 1
		}
		return 0
	}
	first := t.first[p.variable]
	if !p.negated {
		return min(1, t.spread[first+int(p.value)])
	}
	sum := 0.0
	for value := range t.vars.arity[p.variable] {
		if value != p.value {
			sum += t.spread[first+int(value)]
		}
	}
	return min(1, sum)
}

// collect sends the messages from the leaves to the roots: for each separator's state, the sum over the eliminated variables below. A table
// is left with the probabilities of the variable's values given the separator.
func (t *Tree) collect() error {
	nodes := len(t.cliques) - 1
	t.up, t.given = grow.To(t.up, t.cliques[nodes].at), grow.To(t.given, t.cliques[nodes].from)
	if err := t.constant(); err != nil {
		return err
	}
	for n := range uint32(nodes) {
		t.gather(n)
		logs, possible := t.prepare(n)
		if !possible {
			return t.unsatisfiable(n)
		}
		t.fill(logs)
		if logs {
			possible = t.reduceLogs(n)
		} else {
			possible = t.reduce(n)
		}
		if !possible {
			return t.unsatisfiable(n)
		}
	}
	return nil
}

// constant sets logZ to the energy of the factors without variables.
func (t *Tree) constant() error {
	t.logZ = 0
	for _, a := range t.vars.atoms {
		if p := t.vars.of[a]; p.variable == none && p.negated {
			t.logZ += t.atomEnergy(a)
		}
	}
	for _, i := range t.constants() {
		f := &t.factors.list[i]
		switch {
		case !t.factors.matters(f, &t.vars, nil):
		case f.kind == hard:
			return t.m.Unsatisfiable(int(f.index), true)
		default:
			t.logZ += f.energy(t.m)
		}
	}
	return nil
}

// prepare scales the items so that their largest entries are 1, and decides whether the node's table needs logarithms. It reports whether
// every item has a positive entry.
func (t *Tree) prepare(n uint32) (logs, possible bool) {
	d := &t.node
	sum := 0.0
	for i := range d.items {
		if it := &d.items[i]; !it.message {
			top, low := scale(d.small[it.at:it.end])
			if math.IsInf(top, -1) {
				return false, false
			}
			t.logZ += top
			sum += low
		}
	}
	for _, c := range t.children.Of(n) {
		logs = logs || t.cliques[c].logs
		sum += t.cliques[c].low
	}
	logs = logs || sum < underflow
	for i := range d.items {
		it := &d.items[i]
		switch {
		case !it.message && !logs:
			exponentiate(d.small[it.at:it.end])
		case it.message && logs && !it.logs:
			at := len(d.small)
			for _, v := range t.valuesOf(it) {
				d.small = append(d.small, elementary.Log(v))
			}
			*it = item{mask: it.mask, at: at, end: len(d.small)}
		}
	}
	return logs, true
}

// reduce sets the message and the conditional probabilities, and reports whether some state is possible.
func (t *Tree) reduce(n uint32) bool {
	d := &t.node
	message, given := t.message(n), t.conditionals(n)
	values := d.counts[0]
	top := 0.0
	if values == 2 { // as below, without loops over two values
		for s, table := 0, d.table[:2*len(message)]; s < len(message) && len(table) > 1; s, table = s+1, table[2:] {
			sum := table[0] + table[1]
			message[s] = sum
			if sum > top {
				top = sum
			}
			if sum == 0 {
				sum = 1
			}
			given[s] = table[1] / sum
		}
	} else {
		for s := range message {
			row := d.table[s*values : (s+1)*values]
			sum := 0.0
			for _, v := range row {
				sum += v
			}
			message[s] = sum
			top = max(top, sum)
			if sum == 0 {
				sum = 1
			}
			for i, v := range row[1:] {
				given[s*(values-1)+i] = v / sum
			}
		}
	}
	if top == 0 {
		return false
	}
	least := 1.0
	for s, v := range message {
		if v > 0 {
			v /= top
			message[s] = v
			if v < least {
				least = v
			}
		}
	}
	t.cliques[n].logs, t.cliques[n].low = false, elementary.Log(least)
	t.logZ += elementary.Log(top)
	return true
}

// reduceLogs is reduce for a table of logarithms; the message is one of logarithms too if its numbers are too small.
func (t *Tree) reduceLogs(n uint32) bool {
	d := &t.node
	message, given := t.message(n), t.conditionals(n)
	values := d.counts[0]
	for s := range message {
		row := d.table[s*values : (s+1)*values]
		top := math.Inf(-1)
		for _, v := range row {
			top = max(top, v)
		}
		message[s] = top
		rest := given[s*(values-1) : (s+1)*(values-1)]
		if math.IsInf(top, -1) {
			clear(rest)
			continue
		}
		first, sum := elementary.Exp(row[0]-top), 0.0
		for i, v := range row[1:] {
			rest[i] = elementary.Exp(v - top)
			sum += rest[i]
		}
		sum += first
		for i := range rest {
			rest[i] /= sum
		}
		message[s] += elementary.Log(sum)
	}
	top, low := scale(message)
	t.cliques[n].logs, t.cliques[n].low = low < underflow, low
	if math.IsInf(top, -1) {
		return false
	}
	t.logZ += top
	if low >= underflow {
		exponentiate(message)
	}
	return true
}

// distribute computes probabilities from the roots to the leaves: of each separator's states, and of each variable's values.
func (t *Tree) distribute() {
	t.first = grow.To(t.first, len(t.vars.arity))
	values := 0
	for v, k := range t.vars.arity {
		t.first[v] = values
		values += int(k)
	}
	t.spread = grow.Zeroed(t.spread, values)
	for n := uint32(len(t.cliques) - 1); n > 0; {
		n--
		t.dimensions(n)
		t.joint(n)
		spread := t.spread[t.first[t.order.variable[n]]:][:t.node.counts[0]]
		t.node.walk.over(t.node.counts, 1)
		t.node.walk.sum(spread, t.node.table)
		t.send(n)
	}
}

// joint sets the table to probabilities.
func (t *Tree) joint(n uint32) {
	d := &t.node
	if t.root(n) {
		t.message(n)[0] = 1
	}
	values, given := d.counts[0], t.conditionals(n)
	if values == 2 { // as below
		for s, p := range t.message(n) {
			v := float64(p * given[s])
			d.table[2*s], d.table[2*s+1] = max(0, p-v), v
		}
		return
	}
	for s, p := range t.message(n) {
		row, rest := d.table[s*values:(s+1)*values], p
		for i := range row[1:] {
			v := float64(p * given[s*(values-1)+i])
			row[i+1] = v
			rest -= v
		}
		row[0] = max(0, rest)
	}
}

// send sets the probabilities of the children's separators. It destroys the table.
func (t *Tree) send(n uint32) {
	d := &t.node
	t.addMessages(n)
	items := d.items
	for j := len(d.dims) - 1; j >= 0 && len(items) > 0; j-- {
		for k := len(items) - 1; k >= 0 && bits.Len32(items[k].mask) == j+1; k-- {
			small := t.valuesOf(&items[k])
			clear(small)
			d.walk.over(d.counts[:j+1], items[k].mask)
			d.walk.sum(small, d.table)
			items = items[:k]
		}
		size := d.size[j] // then sum the table over the last dimension
		for k := size; k < d.size[j+1]; k += size {
			elementary.Add(d.table[:size], d.table[k:k+size])
		}
	}
}
