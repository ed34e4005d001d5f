package tableinit_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"resolwe/format/subgraph"
	"resolwe/format/tablefile"
	"resolwe/format/tableinit"
	"resolwe/internal/test/check"
)

// A table that changes between its first reading and the last of any gives an error that names it.
func TestInfer_TableChanges(t *testing.T) {
	t.Parallel()
	files := shop(t)
	last := files[0][0]
	for _, f := range files {
		last = max(last, f[0])
	}
	for _, f := range files {
		for change, do := range map[string]func(path string) error{
			"write": func(path string) error { return os.WriteFile(path, []byte(f[1]), 0o600) },
			"replace": func(path string) error {
				return errors.Join(os.WriteFile(path+".new", []byte(f[1]), 0o600), os.Rename(path+".new", path))
			},
			"remove": os.Remove,
		} {
			for _, during := range []string{f[0], last} {
				t.Run(f[0]+" "+change+" as "+during+" is read", func(t *testing.T) {
					t.Parallel()
					dir := folder(t, false, files...)
					path, past := filepath.Join(dir, f[0]), time.Now().Add(-time.Hour)
					check.OK(t, os.Chtimes(path, past, past)) // clocks of file systems are coarse
					changed := false
					_, err := tableinit.Infer(t.Context(), dir, tableinit.Options{
						Center: "orders.customer_id", Target: "orders(customer_id, order_id)",
						Read: func(file string) func(int64) {
							return func(int64) {
								if file == during && !changed {
									changed = true
									check.OK(t, do(path))
								}
							}
						},
					})
					e, ok := errors.AsType[*tablefile.DamageError](err)
					if !ok || e.Pos.File != path || !errors.Is(err, tablefile.ErrChanged) || !errors.Is(err, subgraph.ErrCorrupt) {
						t.Errorf("got %v, want that %s changed", err, path)
					}
				})
			}
		}
	}
}
