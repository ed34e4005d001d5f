//go:build !unix

package atomicfile

// syncDir does nothing: directories cannot be synced here.
func syncDir(string) error { return nil }
