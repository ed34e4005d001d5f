package network

// Bytes returns the approximate memory of a network.
func (net *Network) Bytes() int {
	b := 8*len(net.Constant) + 4*len(net.UnaryStart) + 16*len(net.Unary) + 12*len(net.Pairs) + 4 + 16*len(net.PairCoefs)
	for i := range net.Incidences {
		b += net.Incidences[i].bytes()
	}
	for _, p := range net.Bilinears {
		b += bilinearBytes + 16*len(p.Coefs)
	}
	for i := range net.Conjunctions {
		b += net.Conjunctions[i].bytes() + 16*len(net.Conjunctions[i].Coefs)
	}
	for _, c := range net.Clauses {
		b += 24 + 4*len(c)
	}
	for _, fs := range [][]Feature{net.Features, net.HardFeatures} {
		for i := range fs {
			b += fs[i].bytes()
		}
	}
	return b
}

// bilinearBytes is the size of a bilinear factor without its coefficients, 16 bytes each, and its incidences. The other sizes exclude
// coefficients too.
const bilinearBytes = 32

func (s *Incidence) bytes() int { return 72 + 4*(len(s.Start)+len(s.Atoms)) + 8*len(s.Mult) }

func (c *Conjunction) bytes() int { return 48 + 4*len(c.Lits) }

func (f *Feature) bytes() int { return 64 + 80*len(f.Atoms) }

// Factors describes the factors of a network that involve a formula. Equal ground formulas share a factor.
type Factors struct {
	Unary    int64   // unary terms
	Pairs    int64   // pairs of atoms
	Factored int64   // pairs of incidences of different atoms that bilinear factors stand for
	Members  int64   // incidences of atoms in those factors' matrices
	Others   int64   // conjunctions and features
	Bytes    float64 // of the network; shared factors are split evenly, clauses and constants excluded
}

// Factors describes the network by formula.
func (net *Network) Factors() []Factors {
	out := make([]Factors, len(net.Constant))
	each := func(coefs []Coef, bytes int, add func(*Factors)) {
		for _, c := range coefs {
			f := &out[c.Formula]
			f.Bytes += 16 + float64(bytes)/float64(len(coefs))
			add(f)
		}
	}
	each(net.Unary, 0, func(f *Factors) { f.Unary++ })
	for i := range net.Pairs {
		each(net.PairCoefs[net.PairStart[i]:net.PairStart[i+1]], 12, func(f *Factors) { f.Pairs++ })
	}
	net.addBilinears(each)
	for i := range net.Conjunctions {
		each(net.Conjunctions[i].Coefs, net.Conjunctions[i].bytes(), func(f *Factors) { f.Others++ })
	}
	for i := range net.Features {
		each(net.Features[i].Coefs, net.Features[i].bytes(), func(f *Factors) { f.Others++ })
	}
	return out
}

// addBilinears adds the bilinear factors, each with its share of the incidences.
func (net *Network) addBilinears(each func([]Coef, int, func(*Factors))) {
	uses := make([]int, len(net.Incidences))
	for _, p := range net.Bilinears {
		uses[p.Left]++
		if p.Right != p.Left {
			uses[p.Right]++
		}
	}
	for _, p := range net.Bilinears {
		l, r := &net.Incidences[p.Left], &net.Incidences[p.Right]
		pairs, members, bytes := tied(l, r), len(l.Atoms), bilinearBytes+l.bytes()/uses[p.Left]
		if p.Left != p.Right {
			members += len(r.Atoms)
			bytes += r.bytes() / uses[p.Right]
		}
		each(p.Coefs, bytes, func(f *Factors) {
			f.Factored += pairs
			f.Members += int64(members)
		})
	}
}

// tied returns the number of pairs of incidences of different atoms that share an entity in two matrices.
func tied(l, r *Incidence) (pairs int64) {
	for e := range l.Entities() {
		own := int64(l.Start[e+1]-l.Start[e]) * int64(r.Start[e+1]-r.Start[e])
		l.Shared(r, e, func(uint32, int64, int64) { own-- })
		if l == r { // each pair occurs twice
			own /= 2
		}
		pairs += own
	}
	return pairs
}
