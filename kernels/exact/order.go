package exact

import (
	"slices"

	"resolwe/internal/grow"
)

// Limits of an affordable junction tree.
const (
	Largest     = 1 << 20 // entries of a table
	MostEntries = 1 << 26 // entries of all tables
)

// order is an order of elimination for the variables of a graph. Each has a table over the variable and its neighbours remaining at that
// time, the separator.
type order struct {
	variable []uint32 // by node, that is by position in the order
	start    []uint32 // of[start[n]:start[n+1]] is the separator of node n
	of       []uint32 // nodes, ascending
	node     []uint32 // by variable
	total    int      // entries of all tables
	width    int      // of the widest separator; without a tree, of one encountered

	graph  graph
	arity  []uint32
	clique []uint32 // neighbours of the variable taken
	work   int      // neighbours of neighbours that may still be visited
	fill   []uint32 // by variable: edges added by its elimination; tooLarge if its table is
	heap   []uint64 // fill and variable; some are outdated
	mark   []uint32 // by variable: stamp
	stamp  uint32
}

const tooLarge = none

// Limits on the search for an order: enough for every affordable tree.
const (
	leastWork = 1 << 22
	workEach  = 512 // by variable
)

// begin starts an order for variables with the given numbers of values.
func (o *order) begin(arity []uint32) {
	n := len(arity)
	o.arity, o.variable, o.start, o.of = arity, o.variable[:0], append(o.start[:0], 0), o.of[:0]
	o.node, o.mark, o.stamp, o.total, o.width = grow.To(o.node, n), grow.Zeroed(o.mark, n), 0, 0, 0
}

// find finds an order by the least number of edges that an elimination adds (min-fill), then by number. It reports whether its tables have
// at most entries entries in all, and none more than Largest. It consumes the graph.
func (o *order) find(arity []uint32, entries int) bool {
	n := len(arity)
	o.begin(arity)
	o.work, o.fill, o.heap = leastWork+workEach*n, grow.To(o.fill, n), o.heap[:0]
	for v := range uint32(n) {
		o.fill[v] = tooLarge
		o.measure(v)
	}
	for len(o.variable) < n {
		v, ok := o.next()
		if !ok || o.work < 0 {
			o.width = o.least()
			return false
		}
		if !o.take(v, entries) {
			return false
		}
		if o.fill[v] == 0 {
			o.drop(v)
		} else {
			o.join(v)
		}
	}
	o.end()
	return true
}

// follow is find for a given order.
func (o *order) follow(sequence, arity []uint32, entries int) bool {
	o.begin(arity)
	for _, v := range sequence {
		if !o.take(v, entries) {
			return false
		}
		for i, a := range o.clique {
			for _, b := range o.clique[:i] {
				o.graph.connect(a, b)
			}
		}
		o.graph.remove(v)
	}
	o.end()
	return true
}

// take eliminates a variable next, and sets clique to its neighbours, unless its table is too large.
func (o *order) take(v uint32, entries int) bool {
	table := o.entries(v)
	o.width = max(o.width, int(o.graph.degree[v]))
	if o.total += table; table > Largest || o.total > entries {
		return false
	}
	o.clique = append(o.clique[:0], o.graph.around(v)...)
	o.node[v] = uint32(len(o.variable))
	o.variable, o.of = append(o.variable, v), append(o.of, o.clique...)
	o.start = append(o.start, uint32(len(o.of)))
	return true
}

// end replaces the separators' variables by nodes.
func (o *order) end() {
	for n := range o.variable {
		separator := o.separator(uint32(n))
		for i, v := range separator {
			separator[i] = o.node[v]
		}
		slices.Sort(separator)
	}
}

// separator returns the separator of a node.
func (o *order) separator(n uint32) []uint32 { return o.of[o.start[n]:o.start[n+1]] }

// least returns the least number of neighbours of a remaining variable.
func (o *order) least() int {
	least := len(o.arity)
	for v, d := range o.graph.degree {
		if !o.graph.gone[v] {
			least = min(least, int(d))
		}
	}
	return least
}

// entries returns the size of a variable's table, or a number beyond the limit.
func (o *order) entries(v uint32) int {
	n := int(o.arity[v])
	for _, u := range o.graph.around(v) {
		if n *= int(o.arity[u]); n > Largest {
			break
		}
	}
	return n
}

// measure computes a variable's fill.
func (o *order) measure(v uint32) {
	if o.hub(v) || o.entries(v) > Largest {
		o.fill[v] = tooLarge
		return
	}
	around := o.graph.around(v)
	o.stamp++
	for _, a := range around {
		o.mark[a] = o.stamp
	}
	ends := 0 // of edges between them
	for i, a := range around {
		if o.hub(a) {
			for _, b := range around[:i] {
				if o.hub(b) && o.graph.adjacent(a, b) {
					ends += 2
				}
			}
			continue
		}
		beyond := o.graph.around(a)
		o.work -= len(beyond)
		for _, b := range beyond {
			switch {
			case o.mark[b] != o.stamp:
			case o.hub(b):
				ends += 2
			default:
				ends++
			}
		}
	}
	o.set(v, uint32(len(around)*(len(around)-1)-ends)/2)
}

// hub reports whether a variable has too many neighbours to visit each.
func (o *order) hub(v uint32) bool { return o.graph.degree[v] > mostScope }

func (o *order) set(v, fill uint32) {
	if o.fill[v] != fill {
		o.fill[v] = fill
		o.push(uint64(fill)<<32 | uint64(v))
	}
}

// next takes the variable of least fill, if one remains that is not too large.
func (o *order) next() (v uint32, ok bool) {
	for len(o.heap) > 0 {
		top := o.pop()
		if v = uint32(top); !o.graph.gone[v] && o.fill[v] == uint32(top>>32) {
			return v, true
		}
	}
	return 0, false
}

// join removes a variable from the graph and connects its neighbours.
func (o *order) join(v uint32) {
	g := &o.graph
	o.stamp++
	for _, u := range o.clique {
		o.mark[u] = o.stamp
	}
	for i, a := range o.clique {
		for _, b := range o.clique[:i] {
			if g.connect(a, b) {
				o.close(a, b, v)
			}
		}
	}
	g.remove(v)
	for _, u := range o.clique {
		o.measure(u)
	}
}

// drop removes a variable whose neighbours are connected. The fill of each of these falls by the number of its neighbours that are not the
// variable's.
func (o *order) drop(v uint32) {
	for _, u := range o.clique {
		if o.fill[u] != tooLarge {
			o.set(u, o.fill[u]-(o.graph.degree[u]-uint32(len(o.clique))))
		}
	}
	o.graph.remove(v)
	for _, u := range o.clique {
		if o.fill[u] == tooLarge {
			o.measure(u)
		}
	}
}

// close tells the common neighbours of two variables that they are connected, but those of the variable that goes.
func (o *order) close(a, b, v uint32) {
	g := &o.graph
	if g.degree[a] > g.degree[b] {
		a, b = b, a
	}
	around := g.around(a)
	o.work -= len(around)
	for _, c := range around {
		if c != v && o.mark[c] != o.stamp && o.fill[c] != tooLarge && g.adjacent(b, c) {
			o.set(c, o.fill[c]-1)
		}
	}
}

func (o *order) push(x uint64) {
	o.heap = append(o.heap, x)
	h := o.heap
	i := len(h) - 1
	for i > 0 && h[(i-1)/2] > x {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = x
}

func (o *order) pop() uint64 {
	h := o.heap
	top, x := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	for i := 0; ; {
		kid := 2*i + 1
		if kid+1 < len(h) && h[kid+1] < h[kid] {
			kid++
		}
		if kid >= len(h) || h[kid] >= x {
			if len(h) > 0 {
				h[i] = x
			}
			break
		}
		h[i] = h[kid]
		i = kid
	}
	o.heap = h
	return top
}
