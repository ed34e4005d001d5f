package flags

import (
	"errors"
	"strconv"

	"resolwe"
	"resolwe/format/subgraph"
)

// Split says where to divide a stream: after a share of its subgraphs, or at a time.
type Split struct {
	Share float64 // as [Stated] returns it
	From  resolwe.Time
}

// MarshalText writes the text that UnmarshalText reads, to send it to workers.
func (s Split) MarshalText() ([]byte, error) {
	if s.From.Known {
		return []byte(s.From.String()), nil
	}
	return strconv.AppendFloat(nil, s.Share, 'g', -1, 64), nil
}

// UnmarshalText reads a number, or a date.
func (s *Split) UnmarshalText(text []byte) error {
	if at, ok := subgraph.ParseTime(string(text)); ok {
		*s = Split{From: at}
		return nil
	}
	share, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return errors.New("expected a share such as .8, or a date such as 2010-01-31")
	}
	*s = Split{Share: Stated(share)}
	return nil
}
