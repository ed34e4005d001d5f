package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"

	"resolwe/cmd/internal/flags"

	"resolwe/cmd/resolwe-beam/job"
)

type workerCmd struct {
	Listen string `help:"Address at which runners ask for workers: --environment_config of a job. Anyone who can reach it can run programs as you." default:"localhost:50000" placeholder:"HOST:PORT"`
	Child  bool   `help:"Be one worker, which standard input names." hidden:""`
}

// Help says what the command does.
func (*workerCmd) Help() string {
	return `Starts a worker, a process of its own, whenever a runner asks for one, until it is interrupted; --workers bounds how many
there are at a time. A cluster has one such pool on each machine, at the same address; jobs are submitted with
-- --environment_type=EXTERNAL --environment_config=HOST:PORT.

Example:

	resolwe-beam worker --listen localhost:50000`
}

// Run waits for runners.
func (c *workerCmd) Run(ctx context.Context, e *environment) error {
	if c.Child {
		return job.ServeWorker(ctx, os.Stdin)
	}
	if err := flags.CheckWorkers(e.common.Workers); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	most := cmp.Or(e.common.Workers, 4*runtime.GOMAXPROCS(0))
	pool, err := job.StartPool(c.Listen, most, []string{self, "worker", "--child"}, os.Stderr)
	if err != nil {
		return err
	}
	defer pool.Close()
	if !pool.IsLoopback() {
		e.log.Warn("other machines may reach the workers, and whoever reaches them can run programs as you: listen on localhost, "+
			"or in a network of your own", "listen", pool.Address())
	}
	fmt.Fprintln(e.stdout, "workers at", pool.Address())
	<-ctx.Done()
	return nil
}
