package shards

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
)

// Names and limits of the format.
const (
	formatName   = "resolwe shards "
	Format       = formatName + "1" // of a manifest
	ManifestName = "manifest.json"  // of the manifest in its folder
	MaxShards    = 100_000          // shards of a stream
	maxManifest  = 64 << 20         // bytes
)

// Manifest describes the shards of a stream, in stream order. After Read or Write it is known to be valid: the shards follow one another
// without a gap, and their files are distinct and lie in or below the manifest's folder.
type Manifest struct {
	Format    string  `json:"format"` // the constant Format
	Subgraphs int     `json:"subgraphs"`
	Shards    []Shard `json:"shards"`
}

// Shard is a file that holds one or more consecutive subgraphs of a stream.
type Shard struct {
	File      string `json:"file"`      // relative to the manifest's folder, with slashes
	First     int    `json:"first"`     // position of its first subgraph in the stream
	Subgraphs int    `json:"subgraphs"` // number of subgraphs
	Bytes     int64  `json:"bytes"`     // of the file
	Work      int64  `json:"work"`      // see Work
	SHA256    string `json:"sha256"`    // of the file, in lower-case hex
}

var (
	errNone    = errors.New("no shards")
	errTooMany = fmt.Errorf("more than %d shards", MaxShards)
)

// Read reads a manifest of at most 64 MiB. The error is an *Error if it is invalid, otherwise r's.
func Read(r io.Reader) (*Manifest, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxManifest+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxManifest {
		return nil, &Error{Err: errors.New("longer than 64 MiB")}
	}
	m, err := decode(data)
	if err != nil {
		return nil, &Error{Err: err}
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	return m, nil
}

// decode decodes a manifest without checking it.
func decode(data []byte) (*Manifest, error) {
	var raw struct {
		Format    string
		Subgraphs int
		Shards    json.RawMessage
	}
	err := json.Unmarshal(data, &raw)
	if syntax := (*json.SyntaxError)(nil); raw.Format != Format && !errors.As(err, &syntax) {
		if strings.HasPrefix(raw.Format, formatName) {
			return nil, ErrVersion
		}
		return nil, ErrFormat
	}
	if err != nil {
		return nil, err
	}
	shards, err := decodeShards(raw.Shards)
	return &Manifest{raw.Format, raw.Subgraphs, shards}, err
}

// decodeShards decodes an array of shards up to the limit: short elements take many times their size in memory.
func decodeShards(data []byte) ([]Shard, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, _ := d.Token(); t != json.Delim('[') {
		return nil, errNone
	}
	var out []Shard
	for d.More() {
		if len(out) == MaxShards {
			return nil, errTooMany
		}
		var s Shard
		if err := d.Decode(&s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// ReadFile reads the manifest at path. The error is an *os.PathError if the file cannot be opened, otherwise as for Read.
func ReadFile(path string) (*Manifest, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := Read(f)
	if e := (*Error)(nil); errors.As(err, &e) {
		e.Path = path
	}
	return m, err
}

// Write writes a manifest, one shard a line. The error is an *Error if it is invalid, otherwise w's.
func (m *Manifest) Write(w io.Writer) error {
	if err := m.check(); err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\"format\": %q, \"subgraphs\": %d, \"shards\": [", m.Format, m.Subgraphs)
	lead := "\n "
	for i := range m.Shards {
		line, err := json.Marshal(&m.Shards[i])
		if err != nil {
			return err
		}
		b.WriteString(lead)
		b.Write(line)
		lead = ",\n "
	}
	b.WriteString("\n]}\n")
	_, err := b.WriteTo(w)
	return err
}

// check verifies the guarantees of Manifest.
func (m *Manifest) check() error {
	switch {
	case m.Format != Format:
		return &Error{Err: ErrFormat}
	case len(m.Shards) == 0:
		return &Error{Err: errNone}
	case len(m.Shards) > MaxShards:
		return &Error{Err: errTooMany}
	}
	next, work := 0, int64(0)
	files := make(map[string]bool, len(m.Shards))
	for i := range m.Shards {
		s := &m.Shards[i]
		err := s.check()
		switch {
		case err != nil:
		case files[s.File]:
			err = errors.New("named twice")
		case s.First != next:
			err = fmt.Errorf("begins at subgraph %d, want %d", s.First, next)
		case s.Subgraphs > math.MaxInt-next, s.Work > math.MaxInt64-work:
			err = errors.New("sizes add up to more than 2^63 - 1")
		}
		if err != nil {
			return &Error{File: s.File, Err: err}
		}
		files[s.File] = true
		next += s.Subgraphs
		work += s.Work
	}
	if m.Subgraphs != next {
		return &Error{Err: fmt.Errorf("says %d subgraphs, its shards hold %d", m.Subgraphs, next)}
	}
	return nil
}
