package ground

// Factors are the terms of a network that a formula is in. Equal ground formulas share a term.
type Factors struct {
	Unary    int64   // atoms on their own
	Pairs    int64   // pairs of atoms
	Factored int64   // pairs of incidences of atoms that products stand for, an atom with itself left out
	Members  int64   // incidences of atoms in the sides of those products
	Others   int64   // cubes and features
	Bytes    float64 // of the network; shared terms count in equal parts, clauses and constants not at all
}

// Factors describes the network by formula.
func (n *Network) Factors() []Factors {
	out := make([]Factors, len(n.Constant))
	each := func(coefs []Coef, bytes int, add func(*Factors)) {
		for _, c := range coefs {
			f := &out[c.Formula]
			f.Bytes += 16 + float64(bytes)/float64(len(coefs))
			add(f)
		}
	}
	each(n.Unary, 0, func(f *Factors) { f.Unary++ })
	for i := range n.Pairs {
		each(n.PairCoefs[n.PairStart[i]:n.PairStart[i+1]], 12, func(f *Factors) { f.Pairs++ })
	}
	n.addProducts(each)
	for i := range n.Cubes {
		each(n.Cubes[i].Coefs, 48+4*len(n.Cubes[i].Lits), func(f *Factors) { f.Others++ })
	}
	for i := range n.Features {
		each(n.Features[i].Coefs, 64+80*len(n.Features[i].Atoms), func(f *Factors) { f.Others++ })
	}
	return out
}

// addProducts adds the products, each with its part of the sides.
func (n *Network) addProducts(each func([]Coef, int, func(*Factors))) {
	uses := make([]int, len(n.Sides))
	for _, p := range n.Products {
		uses[p.Left]++
		if p.Right != p.Left {
			uses[p.Right]++
		}
	}
	for _, p := range n.Products {
		l, r := &n.Sides[p.Left], &n.Sides[p.Right]
		pairs, members, bytes := met(l, r), len(l.Atoms), 32+l.bytes()/uses[p.Left]
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

func (s *Side) bytes() int { return 72 + 4*(len(s.Start)+len(s.Atoms)+len(s.Mult)) }

// met returns how many pairs of incidences of different atoms meet in the hubs of two sides.
func met(l, r *Side) int64 {
	pairs := int64(0)
	for h := range l.Hubs() {
		x, y := l.Atoms[l.Start[h]:l.Start[h+1]], r.Atoms[r.Start[h]:r.Start[h+1]]
		if l == r {
			pairs += int64(len(x)) * int64(len(x)-1) / 2
			continue
		}
		pairs += int64(len(x)) * int64(len(y))
		for i, j := 0, 0; i < len(x) && j < len(y); { // both ascend
			switch a, b := x[i], y[j]; {
			case a < b:
				i++
			case a > b:
				j++
			default:
				pairs--
				i, j = i+1, j+1
			}
		}
	}
	return pairs
}
