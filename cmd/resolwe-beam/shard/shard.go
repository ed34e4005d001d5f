package shard

import (
	"encoding/json"
	"fmt"

	"resolwe/format/shards"
)

// Shard is a range of subgraphs in one file of a stream. As JSON it is an element of a pipeline.
type Shard struct {
	Number int    `json:"number"` // among the shards of the stream, from 0
	Path   string `json:"path"`
	First  int    `json:"first"`  // position in the stream of the file's first subgraph
	Length int    `json:"length"` // subgraphs in the file, -1 if not known
	Begin  int    `json:"begin"`  // range of positions
	End    int    `json:"end"`    // exclusive
	Bytes  int64  `json:"bytes"`  // of the file, -1 if not known
	SHA256 string `json:"sha256"` // of the file, hex; "" if not known
	Sum    string `json:"sum"`    // represents the contents; "" if not known
}

// Parse parses the output of String.
func Parse(element string) (Shard, error) {
	var s Shard
	if err := json.Unmarshal([]byte(element), &s); err != nil {
		return Shard{}, fmt.Errorf("element of the pipeline: %w", err)
	}
	return s, nil
}

// String returns the shard as JSON.
func (s Shard) String() string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // numbers and strings have a JSON form
	}
	return string(b)
}

// Subgraphs returns the number of subgraphs in the range.
func (s Shard) Subgraphs() int { return s.End - s.Begin }

// Error reports a failure with a shard.
type Error struct {
	Shard Shard
	Err   error
}

// Error names the file and the range.
func (e *Error) Error() string {
	return fmt.Sprintf("shard %s, subgraphs %d to %d: %v", e.Shard.Path, e.Shard.Begin, e.Shard.End-1, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// fromManifest returns the shards of a manifest in a folder.
func fromManifest(m *shards.Manifest, folder string) []Shard {
	out := make([]Shard, len(m.Shards))
	for i, s := range m.Shards {
		out[i] = Shard{
			Number: i, Path: Join(folder, s.File), First: s.First, Length: s.Subgraphs,
			Begin: s.First, End: s.First + s.Subgraphs, Bytes: s.Bytes, SHA256: s.SHA256, Sum: s.SHA256,
		}
	}
	return out
}

// Number numbers shards of known length in their order and sets their ranges.
func Number(list []Shard) []Shard {
	first := 0
	for i := range list {
		s := &list[i]
		s.Number, s.First, s.Begin, s.End = i, first, first, first+s.Length
		first = s.End
	}
	return list
}

// Within keeps the part at positions begin <= i < end.
func Within(list []Shard, begin, end int) []Shard {
	var out []Shard
	for _, s := range list {
		s.Begin, s.End = max(s.Begin, begin), min(s.End, end)
		if s.Begin < s.End {
			out = append(out, s)
		}
	}
	return out
}

// Divided cuts ranges of more than most subgraphs, 0 for no limit, and numbers the pieces.
func Divided(list []Shard, most int) []Shard {
	var out []Shard
	for _, s := range list {
		for most > 0 && s.Subgraphs() > most {
			front := s
			front.End = s.Begin + most
			out = append(out, front)
			s.Begin = front.End
		}
		out = append(out, s)
	}
	for i := range out {
		out[i].Number = i
	}
	return out
}
