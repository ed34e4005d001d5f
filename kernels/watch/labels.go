package watch

// Labels are the last known labels of keys. If there are too many keys, those set least recently are forgotten.
type Labels struct {
	most  int
	at    map[uint64]int // by key: base plus its index in order
	base  int
	order []uint64 // as they were set, with the label in the lowest bit; only the last entry of a key counts
}

// NewLabels returns labels of a limited number of keys, set from a list that Labels.List returned.
func NewLabels(most int, list []uint64) *Labels {
	l := &Labels{most: most, at: map[uint64]int{}}
	for _, v := range list {
		l.Set(v)
	}
	return l
}

// Set sets the label of a key, which is in its lowest bit.
func (l *Labels) Set(labeled uint64) {
	l.at[labeled>>1] = l.base + len(l.order)
	l.order = append(l.order, labeled)
	for len(l.at) > l.most {
		if key := l.order[0] >> 1; l.at[key] == l.base {
			delete(l.at, key)
		}
		l.base, l.order = l.base+1, l.order[1:]
	}
	if len(l.order) > 2*l.most {
		*l = *NewLabels(l.most, l.List())
	}
}

// State returns 0 if the label of a key is not known, 1 if it is false, 2 if it is true. The key's lowest bit is ignored.
func (l *Labels) State(key uint64) int {
	i, ok := l.at[key>>1]
	if !ok {
		return 0
	}
	return 1 + int(l.order[i-l.base]&1)
}

// List returns the keys with their labels, in the order in which they were set.
func (l *Labels) List() (out []uint64) {
	for i, v := range l.order {
		if l.at[v>>1] == l.base+i {
			out = append(out, v)
		}
	}
	return out
}
