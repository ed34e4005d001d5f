//go:build amd64 && !purego

package bitset

// UseLevel makes the kernels use a level of Levels until restore is called. Not for parallel tests.
func UseLevel(n int) (restore func()) {
	before := level
	level = instructions(n)
	return func() { level = before }
}
