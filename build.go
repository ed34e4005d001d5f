package resolwe

import (
	"context"

	"resolwe/format/subgraph"
	"resolwe/internal/stage/building"
)

// BuildOptions say how to build a stream from tables. The zero value is valid.
type BuildOptions = building.Options

// Built describes the stream that Build made.
type Built = building.Built

// Build cuts a subgraph around each center of a recipe out of its tables, and passes them to write in the order in which the
// centers first appear in the tables, or in the recipe's own order. They do not depend on the number of workers. path names the
// recipe in messages. Errors in the recipe are a lex.ErrorList, missing files and columns a *tablefile.UsageError. Errors for
// tables that are damaged, or change before the last one is read, match subgraph.ErrCorrupt; errors of rules come from package cut.
func Build(
	ctx context.Context, m *Model, path string, src []byte, opt BuildOptions, write func(*subgraph.Subgraph) error,
) (*Built, error) {
	return building.Build(ctx, m, path, src, opt, write)
}
