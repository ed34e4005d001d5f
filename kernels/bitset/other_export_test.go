//go:build !amd64 || purego

package bitset

func best() instructions { return level }

// UseLevel does nothing: there is only one level.
func UseLevel(int) (restore func()) { return func() {} }
