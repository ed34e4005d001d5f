package pool_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"resolwe/internal/input"
	"resolwe/internal/test/check"
	"resolwe/pool"
)

// Reading a mapped file that has become shorter faults.
func TestMap_FaultInMappedMemory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "short")
	check.OK(t, os.WriteFile(path, make([]byte, 1<<16), 0o600))
	f, err := input.Map(path)
	check.OK(t, err)
	defer f.Close()
	check.OK(t, os.Truncate(path, 0))
	read := func(_ context.Context, _ struct{}, i int) (byte, error) { return f.Bytes()[i], nil }
	err = pool.Map(t.Context(), 2, upTo(3), noScratch, read, func(byte) error { return nil })
	pe, ok := errors.AsType[*pool.PanicError](err)
	if !ok || pe.Item != 0 {
		t.Fatalf("error: got %v, want a panic at item 0", err)
	}
	var fault interface {
		error
		Addr() uintptr
	}
	if !errors.As(err, &fault) || fault.Addr() == 0 {
		t.Errorf("error: got %v, want one with the address of the fault", err)
	}
}
