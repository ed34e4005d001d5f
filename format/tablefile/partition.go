package tablefile

import (
	"errors"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// partitioned is a source with further columns, each with one value: the parts such as year=2020 of the path of its file.
type partitioned struct {
	source
	names  []string // of all columns
	values [][]byte // of the further ones
	width  int      // number of the others
	cells  [][]byte
}

// emptyPartition is the value that stands for an empty one in the names of folders.
const emptyPartition = "__HIVE_DEFAULT_PARTITION__"

// partitioned returns a source with the columns that the folders of its file add to it, if the glob names any. If the error is not nil, it closes the source.
func (s *spec) partitioned(src source, path string) (source, error) {
	names, width := src.Columns()
	p := &partitioned{source: src, width: width, names: slices.Clone(names)}
	parts := strings.Split(filepath.ToSlash(path), "/")
	depth := strings.Count(filepath.ToSlash(filepath.Clean(s.Glob)), "/")
	for _, part := range parts[max(0, len(parts)-1-depth) : len(parts)-1] {
		name, value, ok := strings.Cut(part, "=")
		if !ok || name == "" || slices.Contains(p.names, name) {
			continue
		}
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		if !utf8.ValidString(name+value) || strings.ContainsRune(name+value, 0) {
			return nil, errors.Join(s.fault("%s: the name of folder %q is not UTF-8; rename it", path, clip(part)), src.Close())
		}
		if value == emptyPartition || slices.Contains(s.Nulls, value) {
			value = ""
		}
		for len(p.names) < width+len(p.values) {
			p.names = append(p.names, "") // of a file without a header
		}
		p.names, p.values = append(p.names, name), append(p.values, []byte(value))
	}
	if p.values == nil || width == 0 {
		return src, nil
	}
	return p, nil
}

// Columns returns the names of all columns.
func (p *partitioned) Columns() ([]string, int) { return p.names, len(p.names) }

// Unread returns the type of a column of the file that is not read.
func (p *partitioned) Unread(column int) string {
	if column >= p.width {
		return ""
	}
	return p.source.Unread(column)
}

func (p *partitioned) want(columns []int) error {
	return p.source.want(slices.DeleteFunc(slices.Clone(columns), func(c int) bool { return c >= p.width }))
}

// Next returns a row with the values that the folders have.
func (p *partitioned) Next() ([][]byte, error) {
	cells, err := p.source.Next()
	p.cells = append(append(p.cells[:0], cells...), p.values...)
	return p.cells, err
}
