//go:build !amd64 || purego

package rows

// UseGeneric does nothing: every call uses its Go loop.
func UseGeneric() (restore func()) { return func() {} }
