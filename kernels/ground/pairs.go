package ground

import (
	"cmp"
	"slices"

	"resolwe/internal/grow"
	"resolwe/kernels/network"
)

// pairTerms collects the terms of two atoms. The contributions of several formulas to the same pairs form a bundle, so that the pairs are
// listed once.
type pairTerms struct {
	formulas uint32
	bundles  [][]network.Coef // at most one coefficient for each formula, not 0, ordered by formula
	list     []entry
	spare    []entry // memory of sort
}

// entry is a formula's count or each coefficient of a bundle, times n, for the pair of atoms key>>32 < key&(1<<32-1).
type entry struct {
	key    uint64
	source uint32 // a formula, or the number of formulas plus a bundle
	n      int64
}

// bundle returns the source of a new bundle.
func (p *pairTerms) bundle(coefs []network.Coef) (source uint32) {
	p.bundles = append(p.bundles, coefs)
	return p.formulas + uint32(len(p.bundles)-1)
}

// add adds a source n times to a pair of atoms. For a bundle, n is positive.
func (p *pairTerms) add(a, b, source uint32, n int64) {
	p.list = append(p.list, entry{uint64(min(a, b))<<32 | uint64(max(a, b)), source, n})
}

// into stores the binary terms in a network, with room for replicas.
func (p *pairTerms) into(net *network.Network, replicas int) {
	p.sort(net.NumAtoms / replicas)
	pairs, coefs := p.size()
	net.Pairs, net.PairCoefs = make([]network.Pair, 0, pairs*replicas), make([]network.Coef, 0, coefs*replicas)
	net.PairStart = append(make([]uint32, 0, pairs*replicas+1), 0)
	for es := p.list; len(es) > 0; {
		n := 1
		for n < len(es) && es[n].key == es[0].key {
			n++
		}
		begin := len(net.PairCoefs)
		for _, e := range es[:n] {
			if e.source < p.formulas {
				net.PairCoefs = insert(net.PairCoefs, begin, network.Coef{Formula: e.source, Mult: e.n})
				continue
			}
			bundle := p.bundles[e.source-p.formulas]
			if e.n == 1 && len(net.PairCoefs) == begin { // as nearly all do
				net.PairCoefs = append(net.PairCoefs, bundle...)
				continue
			}
			for _, c := range bundle {
				net.PairCoefs = insert(net.PairCoefs, begin, network.Coef{Formula: c.Formula, Mult: product(e.n, c.Mult)})
			}
		}
		net.PairCoefs = net.PairCoefs[:begin+len(withoutZeros(net.PairCoefs[begin:]))]
		if len(net.PairCoefs) > begin {
			net.Pairs = append(net.Pairs, network.Pair{A: uint32(es[0].key >> 32), B: uint32(es[0].key)})
			net.PairStart = append(net.PairStart, uint32(len(net.PairCoefs)))
		}
		es = es[n:]
	}
}

// sort sorts the entries by pair; the order within a pair depends only on the entries. If there are many entries for each atom, it is a
// counting sort in two passes.
func (p *pairTerms) sort(atoms int) {
	if len(p.list) < max(64, atoms) {
		slices.SortFunc(p.list, func(a, b entry) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.source, b.source)) })
		return
	}
	p.spare = grow.To(p.spare, len(p.list))
	starts := make([]int, atoms+1)
	for _, shift := range [...]uint{0, 32} {
		clear(starts)
		for i := range p.list {
			starts[uint32(p.list[i].key>>shift)+1]++
		}
		for a := range atoms {
			starts[a+1] += starts[a]
		}
		for i := range p.list {
			at := &starts[uint32(p.list[i].key>>shift)]
			p.spare[*at] = p.list[i]
			*at++
		}
		p.list, p.spare = p.spare, p.list
	}
}

// size bounds the numbers of pairs and of coefficients. The entries are sorted.
func (p *pairTerms) size() (pairs, coefs int) {
	for i, e := range p.list {
		if i == 0 || e.key != p.list[i-1].key {
			pairs++
		} else if e.source == p.list[i-1].source { // adds to the same coefficients
			continue
		}
		coefs++
		if e.source >= p.formulas {
			coefs += len(p.bundles[e.source-p.formulas]) - 1
		}
	}
	return pairs, coefs
}

// insert adds a coefficient to those from begin on, which are sorted by formula.
func insert(coefs []network.Coef, begin int, c network.Coef) []network.Coef {
	i := len(coefs)
	for i > begin && coefs[i-1].Formula > c.Formula {
		i--
	}
	if i > begin && coefs[i-1].Formula == c.Formula {
		coefs[i-1].Mult = sum(coefs[i-1].Mult, c.Mult)
		return coefs
	}
	coefs = append(coefs, c)
	copy(coefs[i+1:], coefs[i:])
	coefs[i] = c
	return coefs
}
