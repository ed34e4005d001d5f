package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"

	"resolwe/format/checkpoint"
	"resolwe/format/mln"
)

// Checkpoints say how to save a run of learning or discovery, and how to resume one. A resumed run gives the same bytes as an
// uninterrupted one, for any number of workers.
type Checkpoints struct {
	Resume []byte             // checkpoint to resume from; nil to start from the beginning
	Due    func() bool        // asked after each update whether to save; may be nil
	Save   func([]byte) error // saves a checkpoint, without retaining the slice; nil for no checkpoints
}

// Records represents the records of a stream if there are checkpoints and it can be read again.
func (c *Checkpoints) Records(ctx context.Context, s *Stream) (string, error) {
	if c.Resume == nil && c.Save == nil || s.ReadOnce() {
		return "", nil
	}
	sum, err := s.Records(ctx)
	return sum.String(), err
}

// CheckpointError says that a run cannot continue from a checkpoint.
type CheckpointError = checkpoint.Error

// ConstantsOf returns the property for the constants in every domain, those of type lines and of some formulas.
func (m *Model) ConstantsOf(formulas []*mln.Formula) checkpoint.Property {
	h := sha256.New()
	fmt.Fprintf(h, "%q", m.Schema.Domains(m.Constants, formulas))
	return checkpoint.Depends("the constants", Digest(h), "the model's constants, which belong to all domains").Later()
}

// ContentsOf returns the property for the records of a stream.
func ContentsOf(records string) checkpoint.Property {
	return checkpoint.Depends("the records", records, "the contents of the stream").Later()
}

// Digest returns the hash as text.
func Digest(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:16]) }
