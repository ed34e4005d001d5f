//go:build amd64 && !purego

package order

// UseVector chooses between the vector kernels, where the CPU has what they ask for, and the Go loops. It returns what
// restores the choice before. Not for parallel tests.
func UseVector(on bool) (restore func()) {
	before := vector
	vector = on && available()
	return func() { vector = before }
}
