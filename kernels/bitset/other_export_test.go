//go:build !amd64 || purego

package bitset

func best() instructions { return level }

// UseLevel makes the kernels use a level of Levels and returns what restores the one before. Not for parallel tests.
func UseLevel(int) (restore func()) { return func() {} }
