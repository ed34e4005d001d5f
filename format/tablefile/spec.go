package tablefile

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"resolwe/format/lex"
	"resolwe/format/table"
	"resolwe/internal/input"
)

// spec is a table as a recipe declares it, which has been checked, to be looked for.
type spec table.Spec

// fault says what is wrong with the spec.
func (s *spec) fault(format string, args ...any) error {
	return &UsageError{Pos: s.Pos, Table: s.Name, Message: fmt.Sprintf(format, args...)}
}

// open opens a file of the table, whose nulls are empty cells.
func (s *spec) open(ctx context.Context, r *Reader, path string) (source, error) {
	src, err := s.openAsIs(ctx, r, path)
	if err != nil {
		return nil, err
	}
	if len(s.Nulls) > 0 {
		src = &nulls{source: src, texts: s.Nulls}
	}
	return s.partitioned(src, path)
}

// delimiters are those of files by their endings.
var delimiters = map[string]string{".csv": ",", ".tsv": "\t", ".dat": "\t", ".txt": "\t"}

// openAsIs opens a file of the table.
func (s *spec) openAsIs(ctx context.Context, r *Reader, path string) (source, error) {
	ending := strings.ToLower(filepath.Ext(strings.TrimSuffix(path, input.Packing(path))))
	layout := s.Layout
	layout.Delimiter = cmp.Or(layout.Delimiter, delimiters[ending])
	isJSON := ending == ".jsonl" || ending == ".ndjson"
	switch {
	case layout.Delimiter != "" || isJSON:
	case ending != ".parquet":
		return nil, s.fault("%s: the name ends with none of .csv, .tsv, .dat, .txt, .jsonl, .ndjson and .parquet; say which delimiter it has", path)
	case input.Packing(path) != "":
		return nil, s.fault("%s: a Parquet file is not read from an archive; unpack it", path)
	}
	f, err := r.open(path, s)
	switch {
	case err != nil:
		return nil, err
	case layout.Delimiter != "":
		return openLines(ctx, f, layout, func() bool { return layout.Delimiter != "\t" || r.quotes(ctx, path, s) })
	case isJSON:
		return openJSON(ctx, f, r, s)
	}
	return openParquet(f, s)
}

// column returns the position of a column, from 0, in a file whose columns have these names.
func (s *spec) column(file string, ref table.Ref, names []string, width int) (int, error) {
	if ref.Header == "" {
		if ref.Index > width {
			return 0, s.fault("%s: there is no column #%d; the file has %d", file, ref.Index, width)
		}
		return ref.Index - 1, nil
	}
	i := slices.Index(names, ref.Header)
	if i < 0 {
		hint := didYouMean(clip(lex.Suggest(ref.Header, names)))
		return 0, s.fault("%s: there is no column %q%s; the file has: %s", file, clip(ref.Header), hint, listed(names))
	}
	if slices.Contains(names[i+1:], ref.Header) {
		return 0, s.fault("%s: two columns are named %q; say #n", file, clip(ref.Header))
	}
	return i, nil
}
