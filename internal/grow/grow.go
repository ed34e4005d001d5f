package grow

// Zeroed returns a slice of n zero elements.
func Zeroed[T any](s []T, n int) []T {
	s = To(s, n)
	clear(s)
	return s
}

// To returns a slice of n elements with arbitrary contents. It allocates new memory with some room to spare for slightly longer slices
// later.
func To[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/8)
	}
	return s[:n]
}
