package main

import (
	"context"
	"time"

	"resolwe"
	"resolwe/cmd/internal/report"

	"resolwe/cmd/resolwe-beam/stage"
)

type crossvalCmd struct {
	modelArg
	streamArg
	stage.CrossvalArgs
	checkpointArgs
	resultArgs
	CSV bool `help:"Print CSV: a line for each measure of a system, a fold or a test." name:"csv" xor:"form"`
}

// Help says what the command does.
func (*crossvalCmd) Help() string {
	return `Trains on all folds but one and tests on that one, for each fold and system. The result is that of resolwe crossval, byte
for byte, whose help describes the systems.

Each worker reads the whole stream, and needs the memory that resolwe crossval takes; remote shards are copied to it, and to
this machine. What is spread over the workers is the systems on the folds; with --discover it is the folds.

With --checkpoint a system's fold that is finished is not done again: a run that was ended goes on with the same command and
--resume, here or with resolwe crossval.

Examples:

	resolwe-beam crossval task.mln --stream shards/
	resolwe-beam crossval task.mln --stream shards/ --checkpoint run --resume`
}

// saveEvery is the time between two checkpoints.
const saveEvery = 20 * time.Second

// Run cross-validates.
func (c *crossvalCmd) Run(ctx context.Context, e *environment) error {
	checkpoints := resolwe.Checkpoints{Save: func(data []byte) error { return c.write(ctx, e, data) }}
	var err error
	if checkpoints.Resume, err = c.read(ctx, e); err != nil {
		return err
	}
	in, err := e.open(ctx, &c.modelArg, &c.streamArg, c.Checkpoint)
	if err != nil {
		return err
	}
	defer in.close()
	cv, skipped, err := stage.Crossval(ctx, in.runner, in.task, c.CrossvalArgs, e.common.Seed, in.shards, checkpoints, saveEvery)
	if err != nil {
		return c.Named(err)
	}
	e.skipped(skipped)
	d := report.Crossval(cv, c.Timings)
	if c.CSV {
		err = d.CSV(e.stdout)
	} else {
		err = c.print(e.stdout, d)
	}
	report.DoubtCrossval(e.log, cv, c.Infer.Flags.TargetError, !c.JSON)
	return err
}
