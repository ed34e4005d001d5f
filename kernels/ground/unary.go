package ground

// unaryTerms collects the terms of one atom: densely for the formula at work, as a list for those before it.
type unaryTerms struct {
	formula uint32
	n       []int64 // by atom, of that formula
	dirty   bool    // not all of them are 0
	list    []unaryTerm
}

type unaryTerm struct {
	atom uint32
	Coef
}

func (u *unaryTerms) reset(atoms int) { *u = unaryTerms{n: resized(u.n, atoms), list: u.list[:0]} }

// begin ends a formula and starts another.
func (u *unaryTerms) begin(formula uint32) {
	u.flush()
	u.formula = formula
}

// add adds n to the coefficient of an atom in the formula at work.
func (u *unaryTerms) add(atom uint32, n int64) {
	u.n[atom] = sum(u.n[atom], n)
	u.dirty = true
}

// append adds a coefficient of any formula.
func (u *unaryTerms) append(atom uint32, c Coef) { u.list = append(u.list, unaryTerm{atom, c}) }

func (u *unaryTerms) flush() {
	if !u.dirty {
		return
	}
	for a, n := range u.n {
		if n != 0 {
			u.append(uint32(a), Coef{u.formula, n})
			u.n[a] = 0
		}
	}
	u.dirty = false
}

// sorted returns the coefficients by atom and formula, those of one atom and formula added up, and none that is 0;
// coefs[start[a]:start[a+1]] are those of atom a. Most come in the order of their formulas.
func (u *unaryTerms) sorted() (start []uint32, coefs []Coef) {
	u.flush()
	start = make([]uint32, len(u.n)+2)
	for i := range u.list {
		start[u.list[i].atom+2]++
	}
	for a := range u.n {
		start[a+2] += start[a+1]
	}
	coefs = make([]Coef, len(u.list))
	end := make([]uint32, len(u.n)) // by atom, how many it has
	for i := range u.list {
		t := &u.list[i]
		end[t.atom] += insert(coefs[start[t.atom+1]:], int(end[t.atom]), t.Coef)
	}
	return compacted(start[1:], end, coefs)
}

// insert puts a coefficient among the first n of a list, which are sorted by formula, and returns by how many they grew.
func insert(coefs []Coef, n int, c Coef) uint32 {
	i := n
	for i > 0 && coefs[i-1].Formula > c.Formula {
		i--
	}
	if i > 0 && coefs[i-1].Formula == c.Formula {
		coefs[i-1].N = sum(coefs[i-1].N, c.N)
		return 0
	}
	copy(coefs[i+1:n+1], coefs[i:n])
	coefs[i] = c
	return 1
}

// compacted closes the gaps between the lists of the atoms, of which the first so many of each are used, and drops zeros.
func compacted(start, used []uint32, coefs []Coef) ([]uint32, []Coef) {
	at := uint32(0)
	for a, n := range used {
		list := coefs[start[a] : start[a]+n]
		start[a] = at
		for _, c := range list {
			if c.N != 0 {
				coefs[at] = c
				at++
			}
		}
	}
	start[len(used)] = at
	return start, coefs[:at:at]
}
