package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// all runs every command everywhere, and then under failures.
func (b *bench) all(ctx context.Context, d *data, opt options, t *table) error {
	places := []where{alone, loopback, external}
	if opt.short {
		places = []where{loopback, external}
	}
	want := map[string]*outcome{}
	took := map[string]time.Duration{}
	var commands []command
	for _, c := range d.commands() {
		if c.args[1] == "" || !opt.only.MatchString(c.name) {
			continue
		}
		commands = append(commands, c)
		first := local
		if !c.same {
			first = alone
		}
		o, err := b.run(ctx, c, first, d.shards, nil)
		if err != nil {
			return err
		}
		t.add(c.name, first, o, "", failure(o))
		want[c.name] = o
		for _, at := range places {
			if at == first {
				continue
			}
			o, err := b.run(ctx, c, at, d.shards, nil)
			if err != nil {
				return err
			}
			t.add(c.name, at, o, "same bytes", differs(o, want[c.name]))
			took[c.name] = b.cluster.took(ctx)
		}
	}
	for i := range opt.kills {
		c := commands[len(commands)-1-i%len(commands)]
		if err := b.killTasks(ctx, c, places[len(places)-1-i%2], d, took[c.name], i, want[c.name], t); err != nil {
			return err
		}
	}
	last := commands[len(commands)-1]
	return b.failures(ctx, last, infer(commands), d, want, t)
}

func infer(commands []command) command {
	for _, c := range commands {
		if c.name == "infer" {
			return c
		}
	}
	return commands[0]
}

func failure(o *outcome) string {
	if o.status != 0 {
		return fmt.Sprintf("exit status %d: %s", o.status, o.message)
	}
	return ""
}

// differs says in what a run differs from one that is right.
func differs(got, want *outcome) string {
	switch {
	case got.status != 0:
		return failure(got)
	case got.bytes != want.bytes:
		return fmt.Sprintf("%d other bytes, want %d", len(got.bytes), len(want.bytes))
	}
	return ""
}

// killTasks runs a command, and kills a task manager when about half of its time is over.
func (b *bench) killTasks(
	ctx context.Context, c command, at where, d *data, took time.Duration, i int, want *outcome, t *table,
) error {
	job := ""
	o, err := b.run(ctx, c, at, d.shards, func(*os.Process, string) error {
		err := until(ctx, "a job", func() bool { job = b.cluster.running(ctx); return job != "" })
		if err != nil {
			return err
		}
		time.Sleep(took * time.Duration(1+i%3) / 6)
		return b.cluster.replaceTasks(ctx, i%taskManagers)
	})
	if err != nil {
		return err
	}
	result := fmt.Sprintf("same bytes; the job met %d failures", b.cluster.restarts(ctx, job))
	t.add(c.name+", TaskManager killed", at, o, result, differs(o, want))
	return until(ctx, "the TaskManager's place", func() bool { return b.cluster.slots(ctx) == taskManagers })
}

// failures runs what has to fail, or to survive.
func (b *bench) failures(
	ctx context.Context, eval, infer command, d *data, want map[string]*outcome, t *table,
) error {
	begun := func() error {
		err := until(ctx, "a job", func() bool { return b.cluster.running(ctx) != "" })
		return errors.Join(err, b.cluster.closed())
	}
	retried := eval
	retried.args = append(append([]string{}, eval.args...), "--retries", "2") // for a Flink that goes on with a dead worker
	for _, done := range []int{0, 2} {
		o, err := b.run(ctx, retried, external, d.shards, func(_ *os.Process, work string) error {
			return until(ctx, "a worker", func() bool {
				files, _ := filepath.Glob(filepath.Join(work, "*")) // a file for each shard that is done
				return len(files) >= done && b.cluster.killWorker()
			})
		})
		if err != nil {
			return err
		}
		what := fmt.Sprintf("%s, worker killed after %d shards", eval.name, done)
		t.add(what, external, o, "same bytes", differs(o, want[eval.name]))
	}
	for _, c := range []struct {
		what   string
		damage func(path string) error
		status int
		names  []string
	}{
		{"damaged shard", flip, 3, []string{"record ", "at byte "}},
		{"shard that is cut off", func(path string) error { return os.Truncate(path, 100) }, 3, nil},
		{"shard that is not there", os.Remove, 2, nil},
	} {
		broken, shard, err := b.copyOf(d.shards)
		if err != nil {
			return err
		}
		if err := c.damage(shard); err != nil {
			return err
		}
		for _, at := range []where{loopback, external} {
			o, err := b.run(ctx, infer, at, broken, nil)
			if err != nil {
				return err
			}
			t.add(c.what, at, o, "the error names the shard", names(o, c.status, append(c.names, filepath.Base(shard))))
		}
	}

	o, err := b.run(ctx, infer, external, d.shards, func(*os.Process, string) error {
		if err := begun(); err != nil {
			return err
		}
		b.cluster.ask(ctx, http.MethodPatch, "/jobs/"+b.cluster.running(ctx)+"?mode=cancel", &struct{}{})
		return nil
	})
	if err != nil {
		return err
	}
	t.add("job cancelled in Flink", external, o, "an error, no file", names(o, 1, []string{"job"}))

	job := ""
	o, err = b.run(ctx, infer, external, d.shards, func(p *os.Process, _ string) error {
		if err := begun(); err != nil {
			return err
		}
		job = b.cluster.running(ctx)
		return p.Signal(os.Interrupt)
	})
	if err != nil {
		return err
	}
	if err := until(ctx, "the end of Flink's job", func() bool { return b.cluster.running(ctx) != job }); err != nil {
		return err
	}
	if o.left, err = b.left(); err != nil {
		return err
	}
	t.add("program interrupted", external, o, "Flink's job ends, no file", names(o, 130, []string{"interrupted"}))
	return nil
}

// names says what is wrong with a run that has to fail: its status, what it does not say, and what it left.
func names(o *outcome, status int, words []string) string {
	if o.status != status {
		return fmt.Sprintf("exit status %d, want %d: %s", o.status, status, o.message)
	}
	for _, w := range words {
		if !strings.Contains(o.message, w) {
			return fmt.Sprintf("no word of %q: %s", w, o.message)
		}
	}
	if o.bytes != "" || o.left > 0 {
		return fmt.Sprintf("%d bytes and %d files are left", len(o.bytes), o.left)
	}
	return ""
}

// copyOf returns a copy of a folder of shards, and the path of one in the middle.
func (b *bench) copyOf(folder string) (dir, shard string, err error) {
	b.number++
	dir = filepath.Join(b.dir, fmt.Sprintf("shards-%03d", b.number))
	if err := os.CopyFS(dir, os.DirFS(folder)); err != nil {
		return "", "", err
	}
	list, err := filepath.Glob(filepath.Join(dir, "*.rsg"))
	return dir, list[len(list)/2], err
}

// flip changes a bit in the middle of a file.
func flip(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	data[len(data)/2] ^= 0x40
	return os.WriteFile(path, data, 0o600) //nolint:gosec // of a copy
}
