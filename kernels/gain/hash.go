package gain

// Hash orders subgraphs for sampling and deals them into folds: FNV-1a of the seed's eight bytes, the lowest first, and of
// the name, finished by splitmix64.
func Hash(seed uint64, name string) uint64 {
	const prime = 1099511628211
	h := uint64(14695981039346656037)
	for i := range 8 {
		h = (h ^ seed>>(8*i)&255) * prime
	}
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * prime
	}
	return finish(h)
}

// finish is a step of splitmix64.
func finish(h uint64) uint64 {
	h += 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
