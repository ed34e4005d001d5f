//go:build amd64 && !purego

package rows

// UseGeneric makes every call use its Go loop until restore is called. Not for parallel tests.
func UseGeneric() (restore func()) {
	before := vectors
	vectors = false
	return func() { vectors = before }
}
