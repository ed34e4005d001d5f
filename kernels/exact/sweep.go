package exact

import (
	"cmp"
	"slices"
)

// sweep returns the vertices of a graph in the order of Cuthill and McKee (1969): breadth first from an end of each connected component,
// neighbours by degree, then by number. On long graphs of even breadth, such as grids, its width is that breadth, which min-fill may miss.
func (g *graph) sweep() []uint32 {
	n := uint32(len(g.degree))
	seen, order := make([]bool, n), make([]uint32, 0, n)
	for v := range n {
		if seen[v] {
			continue
		}
		first := len(order)
		for range 2 { // the last vertex is far from where the search began
			order = g.search(order, first, v, seen)
			for _, u := range order[first:] {
				seen[u] = false
			}
			v = order[len(order)-1]
			order = order[:first]
		}
		order = g.search(order, first, v, seen)
	}
	return order
}

// search appends the vertices of a vertex's connected component to an order that has first vertices.
func (g *graph) search(order []uint32, first int, from uint32, seen []bool) []uint32 {
	order = append(order, from)
	seen[from] = true
	for i := first; i < len(order); i++ {
		begin := len(order)
		for _, u := range g.neighbours[order[i]] {
			if !seen[u] {
				seen[u] = true
				order = append(order, u)
			}
		}
		slices.SortFunc(order[begin:], func(a, b uint32) int {
			return cmp.Or(cmp.Compare(g.degree[a], g.degree[b]), cmp.Compare(a, b))
		})
	}
	return order
}
