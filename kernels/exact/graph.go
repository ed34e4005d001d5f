package exact

import (
	"resolwe/internal/elementary"
	"resolwe/internal/grow"
)

// graph is an undirected graph to which edges can be added and from which vertices can be removed.
type graph struct {
	neighbours [][]uint32 // by vertex; removed ones are purged now and then
	degree     []uint32   // by vertex: number of remaining neighbours
	gone       []bool
	slots      []uint64 // hash table of edges: see key
	edges      int
	left       []uint32 // by vertex: memory of sparse
	queue      []uint32
}

// reset makes the graph empty, with the given vertices and no edges.
func (g *graph) reset(vertices int) {
	for len(g.neighbours) < vertices {
		g.neighbours = append(g.neighbours, nil)
	}
	for v := range vertices {
		g.neighbours[v] = g.neighbours[v][:0]
	}
	g.degree, g.gone = grow.Zeroed(g.degree, vertices), grow.Zeroed(g.gone, vertices)
	size := 16
	for size < 4*vertices {
		size *= 2
	}
	g.slots, g.edges = grow.Zeroed(g.slots, size), 0
}

// key identifies an edge; it is never 0.
func key(a, b uint32) uint64 { return uint64(min(a, b))<<32 | uint64(max(a, b)) }

// slot returns the slot of an edge, or where it belongs.
func (g *graph) slot(edge uint64) int {
	mask := len(g.slots) - 1
	h := edge * elementary.Golden
	i := int(h^h>>32) & mask
	for g.slots[i] != 0 && g.slots[i] != edge {
		i = (i + 1) & mask
	}
	return i
}

// adjacent reports whether an edge exists.
func (g *graph) adjacent(a, b uint32) bool { return g.slots[g.slot(key(a, b))] != 0 }

// connect adds an edge between two vertices, and reports whether it is new.
func (g *graph) connect(a, b uint32) bool {
	edge := key(a, b)
	i := g.slot(edge)
	if g.slots[i] != 0 {
		return false
	}
	g.slots[i] = edge
	if g.edges++; 2*g.edges > len(g.slots) {
		g.rehash()
	}
	g.neighbours[a], g.neighbours[b] = append(g.neighbours[a], b), append(g.neighbours[b], a)
	g.degree[a]++
	g.degree[b]++
	return true
}

func (g *graph) rehash() {
	old := g.slots
	g.slots = make([]uint64, 2*len(old))
	for _, edge := range old {
		if edge != 0 {
			g.slots[g.slot(edge)] = edge
		}
	}
}

// sparse reports whether every subgraph has a vertex with at most width neighbours in it (degeneracy), as in every graph of that width.
func (g *graph) sparse(width int) bool {
	n := len(g.degree)
	g.left, g.queue = append(g.left[:0], g.degree...), g.queue[:0]
	for v, d := range g.left {
		if int(d) <= width {
			g.queue = append(g.queue, uint32(v))
		}
	}
	for i := 0; i < len(g.queue); i++ {
		for _, u := range g.neighbours[g.queue[i]] {
			if g.left[u]--; int(g.left[u]) == width {
				g.queue = append(g.queue, u)
			}
		}
	}
	return len(g.queue) == n
}

// around returns the remaining neighbours of a vertex. The slice is valid until an edge is added to it.
func (g *graph) around(v uint32) []uint32 {
	list := g.neighbours[v]
	if len(list) == int(g.degree[v]) {
		return list
	}
	kept := list[:0]
	for _, u := range list {
		if !g.gone[u] {
			kept = append(kept, u)
		}
	}
	g.neighbours[v] = kept
	return kept
}

// remove removes a vertex.
func (g *graph) remove(v uint32) {
	for _, u := range g.around(v) {
		g.degree[u]--
	}
	g.gone[v] = true
}
