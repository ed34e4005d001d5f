package bitset

// Levels are the names of the levels that this CPU supports, slowest first.
func Levels() []string {
	return []string{"generic", "avx2", "avx512"}[:best()+1]
}
