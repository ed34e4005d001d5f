package ground

import (
	"cmp"
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/network"
)

// pairTerms collects the terms of two atoms. What several formulas add to the same pairs is a bundle, so that these are
// listed once.
type pairTerms struct {
	formulas uint32
	bundles  [][]network.Coef
	list     []entry

	sorted []entry // memory of sort
	starts []int
}

// entry is n times a formula's count, or n times each coefficient of a bundle, at the pair of atoms key>>32 <
// key&(1<<32-1).
type entry struct {
	key    uint64
	source uint32 // a formula, or the number of formulas plus a bundle
	n      int64
}

func (p *pairTerms) reset(formulas int) {
	p.formulas, p.bundles, p.list = uint32(formulas), p.bundles[:0], p.list[:0]
}

// newBundle returns the source of an empty bundle.
func (p *pairTerms) newBundle() (source uint32) {
	if n := len(p.bundles); n < cap(p.bundles) {
		p.bundles = p.bundles[:n+1]
		p.bundles[n] = p.bundles[n][:0]
	} else {
		p.bundles = append(p.bundles, nil)
	}
	return p.formulas + uint32(len(p.bundles)-1)
}

// bundle returns the coefficients of a source that is a bundle: of each formula one at most, not 0, in order of
// formulas.
func (p *pairTerms) bundle(source uint32) *[]network.Coef { return &p.bundles[source-p.formulas] }

// add adds n times a source to the pair of two atoms. Of a bundle n is positive.
func (p *pairTerms) add(a, b, source uint32, n int64) {
	p.list = append(p.list, entry{uint64(min(a, b))<<32 | uint64(max(a, b)), source, n})
}

// prune drops the entries whose bundle no formula uses.
func (p *pairTerms) prune() {
	unused := func(b []network.Coef) bool { return len(b) == 0 }
	if !slices.ContainsFunc(p.bundles, unused) {
		return
	}
	p.list = slices.DeleteFunc(p.list, func(e entry) bool { return e.source >= p.formulas && unused(*p.bundle(e.source)) })
}

// into sets the terms of two atoms of a network that has so many, in its memory where that suffices, with room for
// replicas.
func (p *pairTerms) into(net *network.Network, atoms, replicas int) {
	p.sort(atoms)
	pairs, coefs := p.size()
	net.Pairs = grow.To(net.Pairs, pairs*replicas)[:0]
	net.PairStart = grow.To(net.PairStart, pairs*replicas+1)[:0]
	net.PairCoefs = grow.To(net.PairCoefs, coefs*replicas)[:coefs]
	at := 0
	for es := p.list; len(es) > 0; {
		n := 1
		for n < len(es) && es[n].key == es[0].key {
			n++
		}
		if used := p.write(net.PairCoefs[at:], es[:n]); used > 0 {
			net.Pairs = append(net.Pairs, network.Pair{A: uint32(es[0].key >> 32), B: uint32(es[0].key)})
			net.PairStart = append(net.PairStart, uint32(at))
			at += used
		}
		es = es[n:]
	}
	net.PairCoefs = net.PairCoefs[:at]
	net.PairStart = append(net.PairStart, uint32(at))
}

// size bounds the numbers of pairs and of coefficients. The entries are sorted.
func (p *pairTerms) size() (pairs, coefs int) {
	last := entry{key: ^uint64(0)}
	for _, e := range p.list {
		if e.key != last.key {
			pairs++
		} else if e.source == last.source { // which adds to the same coefficients
			continue
		}
		if e.source < p.formulas {
			coefs++
		} else {
			coefs += len(*p.bundle(e.source))
		}
		last = e
	}
	return pairs, coefs
}

// write writes the coefficients of a pair in order of formulas, without those that are 0, and returns how many there
// are.
func (p *pairTerms) write(dst []network.Coef, es []entry) int {
	if len(es) == 1 && es[0].source >= p.formulas {
		return writeBundle(dst, *p.bundle(es[0].source), es[0].n)
	}
	n := 0
	for _, e := range es {
		if e.source < p.formulas {
			n += insert(dst, n, network.Coef{Formula: e.source, Mult: e.n})
			continue
		}
		for _, c := range *p.bundle(e.source) {
			n += insert(dst, n, network.Coef{Formula: c.Formula, Mult: product(e.n, c.Mult)})
		}
	}
	return len(slices.DeleteFunc(dst[:n], func(c network.Coef) bool { return c.Mult == 0 }))
}

// writeBundle writes n times the coefficients of a bundle, and returns how many there are.
func writeBundle(dst, bundle []network.Coef, n int64) int {
	if n == 1 {
		return copy(dst, bundle)
	}
	for i, c := range bundle {
		dst[i] = network.Coef{Formula: c.Formula, Mult: product(n, c.Mult)}
	}
	return len(bundle)
}

// insert puts a coefficient among the first n of a list, which are sorted by formula, and returns by how many they
// grew.
func insert(coefs []network.Coef, n int, c network.Coef) int {
	i := n
	for i > 0 && coefs[i-1].Formula > c.Formula {
		i--
	}
	if i > 0 && coefs[i-1].Formula == c.Formula {
		coefs[i-1].Mult = sum(coefs[i-1].Mult, c.Mult)
		return 0
	}
	copy(coefs[i+1:n+1], coefs[i:n])
	coefs[i] = c
	return 1
}

// sort orders the entries by their pairs. It is stable.
func (p *pairTerms) sort(atoms int) {
	if slices.IsSortedFunc(p.list, func(a, b entry) int { return cmp.Compare(a.key, b.key) }) {
		return
	}
	p.sorted = grow.To(p.sorted, len(p.list))
	p.byAtom(p.sorted, p.list, atoms, 0)
	p.byAtom(p.list, p.sorted, atoms, 32)
}

// byAtom moves entries in order of the atom at a shift of their keys.
func (p *pairTerms) byAtom(dst, src []entry, atoms, shift int) {
	p.starts = grow.Zeroed(p.starts, atoms+1)
	for i := range src {
		p.starts[uint32(src[i].key>>shift)+1]++
	}
	for a := range atoms {
		p.starts[a+1] += p.starts[a]
	}
	for i := range src {
		at := &p.starts[uint32(src[i].key>>shift)]
		dst[*at] = src[i]
		*at++
	}
}
