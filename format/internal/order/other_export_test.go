//go:build !amd64 || purego

package order

// UseVector has nothing to choose from.
func UseVector(bool) (restore func()) { return func() {} }
