package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed" // what is beside
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"resolwe/cmd/resolwe-beam/internal/proc"
)

//go:embed flink-conf.yaml
var configuration string

//go:embed JobServer.java
var jobServer []byte

//go:embed ServerFactory.java
var serverFactory []byte

// opens are what Flink asks of Java since its version 16.
var opens = []string{
	"java.base/java.lang", "java.base/java.net", "java.base/java.io", "java.base/java.nio", "java.base/sun.nio.ch",
	"java.base/java.lang.reflect", "java.base/java.text", "java.base/java.time", "java.base/java.util",
	"java.base/java.util.concurrent", "java.base/java.util.concurrent.atomic", "java.base/java.util.concurrent.locks",
}

// taskManagers is how many there are, each with a slot.
const taskManagers = 2

// cluster is a Flink cluster of processes of this machine, Beam's job server for it, and a pool of workers.
type cluster struct {
	dir, beam string // folder of logs, path of resolwe-beam
	classPath string

	rest, service, pool int // ports
	manager             *process
	tasks               [taskManagers]*process
	server              *process
	workers             *process
	ended               float64 // CPU seconds of those that were killed
}

// startCluster starts all of them, and waits until they are ready. They end with the context.
func startCluster(ctx context.Context, dir, jars, beam string) (*cluster, error) {
	c := &cluster{dir: dir, beam: beam}
	var rpc, artifacts int
	for _, p := range []*int{&c.rest, &c.service, &c.pool, &rpc, &artifacts} {
		var err error
		if *p, err = freePort(); err != nil {
			return nil, err
		}
	}
	conf := configuration + fmt.Sprintf("rest.port: %d\njobmanager.rpc.port: %d\nio.tmp.dirs: %s\n", c.rest, rpc, dir)
	source, factory := filepath.Join(dir, "JobServer.java"), filepath.Join(dir, "ServerFactory.java")
	err := errors.Join(
		os.WriteFile(filepath.Join(dir, "flink-conf.yaml"), []byte(conf), 0o600), os.WriteFile(source, jobServer, 0o600),
		os.WriteFile(factory, serverFactory, 0o600),
	)
	if err != nil {
		return nil, err
	}
	all, classes := filepath.Join(jars, "*"), filepath.Join(dir, "classes")
	out, err := exec.CommandContext(ctx, "javac", "-d", classes, "-cp", all, factory).CombinedOutput() //nolint:gosec // paths of this program
	if err != nil {
		return nil, fmt.Errorf("javac: %w: %s", err, out)
	}
	c.classPath = classes + string(filepath.ListSeparator) + all
	c.manager, err = c.java(ctx, "jobmanager", "512m",
		"org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint", "--configDir", dir, "--executionMode", "cluster")
	if err != nil {
		return nil, err
	}
	for i := range c.tasks {
		if err := c.startTasks(ctx, i); err != nil {
			return nil, err
		}
	}
	c.server, err = c.java(ctx, "jobserver", "512m", source, "--flink-master="+address(c.rest), "--job-host=localhost",
		"--job-port="+strconv.Itoa(c.service), "--artifact-port="+strconv.Itoa(artifacts), "--expansion-port=-1",
		"--artifacts-dir="+filepath.Join(dir, "artifacts"))
	if err != nil {
		return nil, err
	}
	if c.workers, err = start(ctx, filepath.Join(dir, "workers.log"), beam, "worker", "--listen", address(c.pool)); err != nil {
		return nil, err
	}
	ready := func() bool { return c.slots(ctx) == taskManagers && listens(c.service) && listens(c.pool) }
	return c, until(ctx, "the start of Flink", ready, c.manager, c.tasks[0], c.tasks[1], c.server, c.workers)
}

// java starts a Java program with the archives.
func (c *cluster) java(ctx context.Context, name, heap string, args ...string) (*process, error) {
	all := []string{"-Xmx" + heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", c.classPath}
	for _, o := range opens {
		all = append(all, "--add-opens="+o+"=ALL-UNNAMED")
	}
	return start(ctx, filepath.Join(c.dir, name+".log"), "java", append(all, args...)...)
}

// startTasks starts a task manager.
func (c *cluster) startTasks(ctx context.Context, i int) error {
	var err error
	c.tasks[i], err = c.java(ctx, fmt.Sprintf("taskmanager-%d", i+1), "512m",
		"org.apache.flink.runtime.taskexecutor.TaskManagerRunner", "--configDir", c.dir)
	return err
}

// replaceTasks kills a task manager, and starts another in its place.
func (c *cluster) replaceTasks(ctx context.Context, i int) error {
	c.ended += cpu(c.tasks[i].cmd.Process.Pid)
	c.tasks[i].kill()
	return c.startTasks(ctx, i)
}

// killWorker kills one of the pool's workers, and reports whether there was one.
func (c *cluster) killWorker() bool {
	for _, pid := range proc.Children(c.workers.cmd.Process.Pid) {
		if p, err := os.FindProcess(pid); err == nil && p.Kill() == nil {
			return true
		}
	}
	return false
}

// processes lists what was started; workers are children of the pool.
func (c *cluster) processes() []*process {
	return []*process{c.server, c.tasks[0], c.tasks[1], c.manager, c.workers}
}

// stop ends all of them.
func (c *cluster) stop() {
	for _, p := range c.processes() {
		if p != nil {
			p.kill()
		}
	}
}

// closed returns an error where one of them, or a worker, listens at an address that other machines reach.
func (c *cluster) closed() error {
	for _, p := range c.processes() {
		for _, at := range proc.Listening(p.cmd.Process.Pid) {
			if !at.Addr().IsLoopback() {
				return fmt.Errorf("%s listens at %s: %w", p.log, at, errDiffer)
			}
		}
	}
	return nil
}

// cpu returns the CPU seconds of Flink and the job server, and those of the pool and its workers that have ended.
func (c *cluster) cpu() (flink, workers float64) {
	flink = c.ended
	for _, p := range []*process{c.server, c.tasks[0], c.tasks[1], c.manager} {
		flink += cpu(p.cmd.Process.Pid)
	}
	return flink, cpu(c.workers.cmd.Process.Pid)
}

// get asks Flink, whose answer is JSON. Where it does not answer to stays as it is.
func (c *cluster) get(ctx context.Context, path string, to any) { c.ask(ctx, http.MethodGet, path, to) }

func (c *cluster) ask(ctx context.Context, method, path string, to any) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+address(c.rest)+path, http.NoBody)
	if err != nil {
		return
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	_ = json.NewDecoder(resp.Body).Decode(to) // an answer of another form is none
}

// slots returns how many slots there are.
func (c *cluster) slots(ctx context.Context) int {
	var overview struct {
		Slots int `json:"slots-total"`
	}
	c.get(ctx, "/overview", &overview)
	return overview.Slots
}

// flinkJob is what Flink tells of a job.
type flinkJob struct {
	ID       string `json:"jid"`
	State    string `json:"state"`
	Start    int64  `json:"start-time"`
	Duration int64  `json:"duration"` // milliseconds
}

// jobs returns Flink's jobs.
func (c *cluster) jobs(ctx context.Context) []flinkJob {
	var overview struct {
		Jobs []flinkJob `json:"jobs"`
	}
	c.get(ctx, "/jobs/overview", &overview)
	return overview.Jobs
}

// running returns the job that runs, "" where none does.
func (c *cluster) running(ctx context.Context) string {
	for _, j := range c.jobs(ctx) {
		if j.State == "RUNNING" {
			return j.ID
		}
	}
	return ""
}

// took returns how long the last job took.
func (c *cluster) took(ctx context.Context) time.Duration {
	last := slices.MaxFunc(append(c.jobs(ctx), flinkJob{}), func(a, b flinkJob) int { return cmp.Compare(a.Start, b.Start) })
	return time.Duration(last.Duration) * time.Millisecond
}

// restarts returns how many failures a job met.
func (c *cluster) restarts(ctx context.Context, id string) int {
	var failures struct {
		History struct {
			Entries []struct{} `json:"entries"`
		} `json:"exceptionHistory"`
	}
	c.get(ctx, "/jobs/"+id+"/exceptions", &failures)
	return len(failures.History.Entries)
}

// checkJava returns an error where there is no JDK of version 11 or later.
func checkJava(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "java", "-version").CombinedOutput()
	if err != nil {
		return fmt.Errorf("java (11 or later) is %w", errMissing)
	}
	_, rest, _ := bytes.Cut(out, []byte(`version "`))
	major, _, _ := strings.Cut(string(rest), ".")
	if n, err := strconv.Atoi(major); err == nil && n < 11 {
		return fmt.Errorf("java 11 or later is %w: %s", errMissing, bytes.TrimSpace(out))
	}
	if _, err := exec.LookPath("javac"); err != nil {
		return fmt.Errorf("javac (a JDK) is %w", errMissing)
	}
	if runtime.GOOS == "windows" {
		return fmt.Errorf("a system with POSIX signals is %w", errMissing)
	}
	return nil
}
