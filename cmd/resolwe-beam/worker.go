package main

import (
	"context"
	"fmt"
	"os"

	"resolwe/cmd/resolwe-beam/job"
)

type workerCmd struct {
	Listen string `help:"Address at which runners ask for workers: --environment_config of a job. Whoever reaches it can have jobs run." default:"localhost:50000" placeholder:"HOST:PORT"`
	Child  bool   `help:"Be one worker, that standard input names." hidden:""`
}

// Help says what the command does.
func (*workerCmd) Help() string {
	return `Starts a worker, a process of its own, whenever a runner asks for one, until it is interrupted. A cluster has one such
pool on each machine, at the same address; jobs are submitted with -- --environment_type=EXTERNAL
--environment_config=HOST:PORT.

Example:

	resolwe-beam worker --listen localhost:50000`
}

// Run waits for runners.
func (c *workerCmd) Run(ctx context.Context, e *environment) error {
	if c.Child {
		return job.ServeWorker(ctx, os.Stdin)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	pool, err := job.StartPool(c.Listen, []string{self, "worker", "--child"}, os.Stderr)
	if err != nil {
		return err
	}
	defer pool.Close()
	fmt.Fprintln(e.stdout, "workers at", pool.Address())
	<-ctx.Done()
	return nil
}
