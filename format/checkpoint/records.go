package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"resolwe/format/subgraph"
)

// Records is a digest of the records of a stream, in their order: of their positions, names, folds, times and contents. It can be
// compared after any record. The zero value is that of no record.
type Records [sha256.Size]byte

// Add adds a record with a sum of its contents (source.Handle.Sum).
func (r *Records) Add(position int, name string, fold int, at subgraph.Time, sum string) {
	*r = sha256.Sum256(fmt.Appendf(nil, "%x %d %q %d %v %s", *r, position, name, fold, at, sum))
}

// String returns the digest as text.
func (r *Records) String() string { return hex.EncodeToString(r[:16]) }
