package grow

// Zeroed returns a slice of n zero elements.
func Zeroed[T any](s []T, n int) []T {
	s = To(s, n)
	clear(s)
	return s
}

// To returns a slice of n elements of any content. New memory is somewhat more, so that it will do for what is not much
// larger.
func To[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/8)
	}
	return s[:n]
}
