package main

import (
	"context"

	"resolwe"
	"resolwe/bench/drift"
	"resolwe/format/rsg"
	"resolwe/format/subgraph"
)

// genDrift says how the stream of gen drift changes.
type genDrift struct {
	Kind      string  `help:"How the stream changes (drift): ${enum}." enum:"none,abrupt,gradual,recurring,covariate" default:"abrupt"`
	At        *int    `help:"Subgraphs before the change (drift), at least 1; by default half of them." placeholder:"N"`
	Size      float64 `help:"How much the causes change (drift), above 0, at most 1: 1 costs the old model .1 nats per atom, .4 about .015." default:"1"`
	Subgraphs *int    `help:"Total subgraphs (drift), at least 1; by default 5,000." placeholder:"N"`
}

// drift generates the stream.
func (c *genCmd) drift(ctx context.Context, e *environment) error {
	opt := drift.Options{Kind: c.Kind, Subgraphs: 5000, Size: c.Size, Seed: e.common.Seed}
	if c.Subgraphs != nil {
		opt.Subgraphs = *c.Subgraphs
	}
	opt.At = max(1, opt.Subgraphs/2)
	if c.At != nil {
		opt.At = *c.At
	}
	switch {
	case opt.Subgraphs < 1:
		return &resolwe.OptionError{Option: "--subgraphs", Reason: "at least 1"}
	case opt.At < 1:
		return &resolwe.OptionError{Option: "--at", Reason: "at least 1"}
	case !(opt.Size > 0 && opt.Size <= 1): // NaN too
		return &resolwe.OptionError{Option: "--size", Reason: "above 0, at most 1"}
	case c.Rows != nil || c.Scale != 1:
		return usageError("--rows and --scale are only for tables: use --subgraphs for drift")
	}
	m, err := c.model()
	if err != nil {
		return err
	}
	var stats *drift.Stats
	progress := e.run("gen", opt.Subgraphs).Progress
	out := streamArgs{Output: c.Output}
	err = out.stream(e, m, rsg.WriterOptions{}, func(w *rsg.Writer) error {
		stats, err = drift.Generate(m.Schema, opt, func(s *subgraph.Subgraph) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			progress(1)
			return w.Write(s)
		})
		return err
	})
	if err != nil {
		return err
	}
	if c.Output == "-" { // the stream is what is printed
		return nil
	}
	return e.text(stats.String() + "\n")
}
