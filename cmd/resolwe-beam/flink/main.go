// Command flink runs the stages of resolwe-beam on a Flink cluster of processes of this machine, breaks it in several ways,
// and prints what came of each run. It has to be started in the folder of resolwe-beam; see docs/scale.md.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	short := flag.Bool("short", false, "run a part only")
	optional := flag.Bool("optional", false, "where Java, Maven or its repository is not there, say so and succeed")
	kills := flag.Int("kills", 4, "how many runs a task manager is killed in")
	keep := flag.Bool("keep", false, "keep logs and results")
	only := flag.String("only", "", "regular expression for the commands to run; -short leaves out selection by gain, and runs without Flink")
	samples := flag.Int("samples", 200, "samples of infer and eval")
	var own data
	flag.StringVar(&own.task, "task", "", "candidates, a file .mln, to use with -stream and -model instead of a generated task")
	flag.StringVar(&own.shards, "stream", "", "folder of shards")
	flag.StringVar(&own.tied, "model", "", "model with weights")
	flag.Parse()
	own.samples = *samples
	var err error
	opt := options{short: *short, kills: *kills, keep: *keep}
	if opt.only, err = regexp.Compile(cmp.Or(*only, map[bool]string{true: "^(select, paper|learn|infer|map|eval)"}[*short])); err == nil {
		err = run(ctx, own, opt)
	}
	switch {
	case err != nil && *optional && errors.Is(err, errMissing):
		fmt.Println("skipped:", err)
	case err != nil:
		fmt.Fprintln(os.Stderr, "flink:", err)
		os.Exit(1) //nolint:gocritic // all that was started has ended
	}
}

type options struct {
	short bool
	kills int
	keep  bool
	only  *regexp.Regexp
}

var errDiffer = errors.New("a run did not end as it should")

// run prepares everything, and runs.
func run(ctx context.Context, own data, opt options) (err error) {
	began := time.Now()
	say := func(format string, args ...any) {
		fmt.Printf("%4.0f s  %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, args...))
	}
	if err := checkJava(ctx); err != nil {
		return err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	say("fetching Flink and Beam's job server, unless they are in %s", filepath.Join(cache, "resolwe-flink"))
	jars, err := fetch(ctx, filepath.Join(cache, "resolwe-flink"))
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "resolwe-flink-")
	if err != nil {
		return err
	}
	defer func() {
		switch {
		case opt.keep || err != nil && !errors.Is(err, context.Canceled):
			say("logs and results are in %s", dir)
		default:
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	say("building resolwe and resolwe-beam")
	b := &bench{dir: dir}
	if b.local, b.beam, err = build(ctx, dir); err != nil {
		return err
	}
	d := &own
	if own.task == "" {
		if d, err = generate(ctx, dir, b.local); err != nil {
			return err
		}
		d.samples = own.samples
	}
	say("starting a JobManager, %d TaskManagers, the job server and a pool of workers", taskManagers)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	b.cluster, err = startCluster(ctx, dir, jars, b.beam)
	if b.cluster != nil {
		defer b.cluster.stop()
	}
	if err != nil {
		return err
	}
	say("ready")
	t := &table{}
	t.header()
	if err := b.all(ctx, d, opt, t); err != nil {
		return err
	}
	say("%d runs, %d of them not as they should", t.runs, t.wrong)
	if t.wrong > 0 {
		return errDiffer
	}
	return nil
}
