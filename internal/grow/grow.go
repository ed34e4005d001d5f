package grow

import "slices"

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
		s = make([]T, n, n+n/8)
	}
	s = s[:n]
	spoil(s)
	return s
}

// By returns a slice with n more elements, of arbitrary contents.
func By[T any](s []T, n int) []T {
	old := len(s)
	s = slices.Grow(s, n)[:old+n]
	spoil(s[old:])
	return s
}
