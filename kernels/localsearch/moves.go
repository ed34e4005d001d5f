package localsearch

import "math"

// refresh computes the fields and the violated constraints of the present state.
func (f *Search) refresh(atoms []uint32) {
	f.s.SetFields() // they accumulate rounding errors
	for _, a := range atoms {
		f.field[a] = f.s.Field(a)
		if f.summed() {
			f.field[a] -= f.s.BilinearField(a)
		}
		f.follow(a)
	}
}

// summed reports whether the fields of bilinear factors must be computed from entities.
func (f *Search) summed() bool { return f.model.Bilinear.Any() && !f.ties.listed }

// fieldOf returns an atom's local field: the energy with it true less that with it false, given the others.
func (f *Search) fieldOf(a uint32) float64 {
	if !f.summed() {
		return f.field[a]
	}
	return f.field[a] + f.s.BilinearField(a)
}

// gain returns the change in energy if a block takes a value, including the cost of violated constraints.
func (f *Search) gain(i uint32, v int32) float64 {
	b := &f.blocks[i]
	if b.joint || f.flips.Tied(i) {
		return f.jointGain(i, v)
	}
	if b.unit {
		return f.flipGain(b.start, f.value[i] == 1)
	}
	g, group := 0.0, f.members[b.start:b.end]
	if old := f.value[i]; int(old) < len(group) {
		g = f.flipGain(group[old], true)
	}
	if int(v) < len(group) {
		g += f.flipGain(group[v], false)
	}
	return g
}

// flipGain returns the change in energy if an atom flips; now is its present value.
func (f *Search) flipGain(a uint32, now bool) float64 {
	g := f.fieldOf(a)
	if now {
		g = -g
	}
	if len(f.constraints.on(a)) > 0 {
		g -= float64(f.constraints.penalty * float64(f.broken(a)))
	}
	return g
}

// jointGain is gain for connected atoms: it makes the move and undoes it.
func (f *Search) jointGain(i uint32, v int32) float64 {
	sum, broken := 0.0, 0
	f.changes(i, v, func(a uint32) {
		if h := f.s.Field(a); f.s.X[a] {
			sum -= h
		} else {
			sum += h
		}
		broken += f.broken(a)
		f.s.Flip(a)
	})
	f.changes(i, v, f.s.Flip)
	return sum - float64(f.constraints.penalty*float64(broken))
}

// changes calls visit with each atom that flips when a block takes another value, and others follow.
func (f *Search) changes(i uint32, v int32, visit func(a uint32)) {
	group := f.atoms(i)
	if f.blocks[i].unit {
		for _, a := range group {
			visit(a)
		}
		f.flips.Followers(i, func(j uint32) {
			for _, a := range f.atoms(j) {
				visit(a)
			}
		})
		return
	}
	if old := f.value[i]; int(old) < len(group) {
		visit(group[old])
	}
	if int(v) < len(group) {
		visit(group[v])
	}
}

// move sets a block to another value.
func (f *Search) move(i uint32, v int32) {
	f.changes(i, v, f.flip)
	f.value[i] = v
	f.flips.Followers(i, func(j uint32) {
		f.value[j] = 1 - f.value[j]
		f.activate(j)
	})
}

// flip flips an atom and updates the fields.
func (f *Search) flip(a uint32) {
	f.addLarge(a, -1)
	f.s.Flip(a)
	f.addPairs(a)
	f.addLarge(a, 1)
	f.follow(a)
}

// addPairs updates the fields of the pair and listed-tie partners of an atom that has flipped.
func (f *Search) addPairs(a uint32) {
	others, classes, base := f.model.Couplings.Of(a)
	classes = classes[:len(others)]
	energy, field := f.model.Couplings.Energy, f.field[base:]
	sign := uint64(0)
	if !f.s.X[a] {
		sign = 1 << 63
	}
	for k, b := range others {
		field[b] += math.Float64frombits(math.Float64bits(energy[classes[k]]) ^ sign)
	}
	if !f.ties.listed {
		return
	}
	others, tied := f.ties.of(a)
	tied = tied[:len(others)]
	for k, b := range others {
		f.field[b] += math.Float64frombits(math.Float64bits(tied[k]) ^ sign)
	}
}

// addLarge adds the contribution of an atom's larger factors to the fields of other atoms, multiplied by times.
func (f *Search) addLarge(a uint32, times float64) {
	m := f.model
	for _, ref := range m.Soft.Of(a) {
		energy := times * m.SoftEnergy[ref>>1]
		m.EachAtom(m.Constraints()+ref>>1, func(b, sign uint32) {
			if b != a {
				f.field[b] += float64(energy * f.s.Gain(b, ref&^1|sign))
			}
		})
	}
}
