//go:build !amd64 || purego

package rows

// UseGeneric does nothing: every call takes its Go loop.
func UseGeneric() (restore func()) { return func() {} }
