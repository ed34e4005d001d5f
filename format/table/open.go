package table

import (
	"path/filepath"
	"slices"
	"strings"

	"resolwe/format/mln"
)

// open opens a file of the table.
func (s *Spec) open(path string) (source, error) {
	delimiter := s.Delimiter
	if delimiter == 0 {
		switch ending := filepath.Ext(strings.TrimSuffix(path, packing(path))); strings.ToLower(ending) {
		case ".csv":
			delimiter = ','
		case ".tsv", ".dat", ".txt":
			delimiter = '\t'
		case ".parquet":
			if packing(path) != "" {
				return nil, s.fault("%s: a Parquet file is not read from an archive; unpack it", path)
			}
			return openParquet(path, s)
		default:
			return nil, s.fault("%s: the name ends with none of .csv, .tsv, .dat, .txt and .parquet; say which delimiter it has", path)
		}
	}
	return openLines(path, delimiter, !s.NoHeader)
}

// column returns the position of a column, from 0, in a file whose columns have these names.
func (s *Spec) column(file string, ref Ref, names []string, width int) (int, error) {
	fault := &ColumnError{Pos: s.Pos, Table: s.Name, File: file, Column: ref, Have: names, Width: width}
	if ref.Header == "" {
		if ref.Index > width {
			return 0, fault
		}
		return ref.Index - 1, nil
	}
	i := slices.Index(names, ref.Header)
	if i < 0 {
		fault.Hint = mln.Suggest(ref.Header, names)
		return 0, fault
	}
	if slices.Contains(names[i+1:], ref.Header) {
		fault.Twice = true
		return 0, fault
	}
	return i, nil
}
