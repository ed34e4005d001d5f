package flink_test

import (
	"bytes"
	"cmp"
	_ "embed" // what is beside
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"resolwe/internal/test/check"

	"resolwe/cmd/resolwe-beam/internal/test/proc"
)

//go:embed flink-conf.yaml
var configuration []byte

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
	dir       string // of logs
	classPath string

	rest, service, pool int // ports
	manager             *process
	tasks               [taskManagers]*process
	server              *process
	workers             *process
	ended               float64 // CPU seconds of those that were killed
}

// startCluster starts all of them, and waits until they are ready. They end with the test.
func startCluster(t *testing.T, jars, beam string) *cluster {
	t.Helper()
	dir := t.ArtifactDir()
	c := &cluster{dir: dir}
	var rpc, artifacts int
	for _, p := range []*int{&c.rest, &c.service, &c.pool, &rpc, &artifacts} {
		*p = freePort(t)
	}
	source, factory := filepath.Join(dir, "JobServer.java"), filepath.Join(dir, "ServerFactory.java")
	for path, data := range map[string][]byte{
		filepath.Join(dir, "flink-conf.yaml"): fmt.Appendf(configuration, "rest.port: %d\njobmanager.rpc.port: %d\nio.tmp.dirs: %s\n", c.rest, rpc, dir),
		source:                                jobServer, factory: serverFactory,
	} {
		check.OK(t, os.WriteFile(path, data, 0o600))
	}
	all, classes := filepath.Join(jars, "*"), filepath.Join(dir, "classes")
	if out, err := exec.CommandContext(t.Context(), "javac", "-d", classes, "-cp", all, factory).CombinedOutput(); err != nil {
		t.Fatalf("javac: %v: %s", err, out)
	}
	c.classPath = classes + string(filepath.ListSeparator) + all
	c.manager = c.java(t, "jobmanager",
		"org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint", "--configDir", dir, "--executionMode", "cluster")
	for i := range c.tasks {
		c.startTasks(t, i)
	}
	c.server = c.java(t, "jobserver", source, "--flink-master="+address(c.rest), "--job-host=localhost",
		"--job-port="+strconv.Itoa(c.service), "--artifact-port="+strconv.Itoa(artifacts), "--expansion-port=-1",
		"--artifacts-dir="+filepath.Join(dir, "artifacts"))
	c.workers = start(t, filepath.Join(dir, "workers.log"), beam, "worker", "--listen", address(c.pool))
	ready := func() bool { return c.slots(t) == taskManagers && listens(c.service) && listens(c.pool) }
	until(t, "the start of Flink", ready, c.processes()...)
	return c
}

// java starts a Java program with the archives.
func (c *cluster) java(t *testing.T, name string, args ...string) *process {
	t.Helper()
	all := []string{"-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", c.classPath}
	for _, o := range opens {
		all = append(all, "--add-opens="+o+"=ALL-UNNAMED")
	}
	return start(t, filepath.Join(c.dir, name+".log"), "java", append(all, args...)...)
}

// startTasks starts a task manager.
func (c *cluster) startTasks(t *testing.T, i int) {
	t.Helper()
	c.tasks[i] = c.java(t, fmt.Sprintf("taskmanager-%d", i+1), "org.apache.flink.runtime.taskexecutor.TaskManagerRunner", "--configDir", c.dir)
}

// replaceTasks kills a task manager, and starts another in its place.
func (c *cluster) replaceTasks(t *testing.T, i int) {
	t.Helper()
	c.ended += cpu(c.tasks[i].cmd.Process.Pid)
	c.tasks[i].kill()
	c.startTasks(t, i)
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

// closed fails the test where one of them, or a worker, listens at an address that other machines reach.
func (c *cluster) closed(t *testing.T) {
	t.Helper()
	for _, p := range c.processes() {
		for _, at := range proc.Listening(p.cmd.Process.Pid) {
			if !at.Addr().IsLoopback() {
				t.Errorf("%s listens at %s", p.log, at)
			}
		}
	}
}

// cpu returns the CPU seconds of Flink and the job server, and those of the pool and its workers that have ended.
func (c *cluster) cpu() (flink, workers float64) {
	flink = c.ended
	for _, p := range []*process{c.server, c.tasks[0], c.tasks[1], c.manager} {
		flink += cpu(p.cmd.Process.Pid)
	}
	return flink, cpu(c.workers.cmd.Process.Pid)
}

// ask asks Flink, whose answer is JSON. Where it does not answer to stays as it is.
func (c *cluster) ask(t *testing.T, method, path string, to any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+address(c.rest)+path, http.NoBody)
	check.OK(t, err)
	if resp, err := http.DefaultClient.Do(req); err == nil {
		defer resp.Body.Close()
		_ = json.NewDecoder(resp.Body).Decode(to) // an answer of another form is none
	}
}

// slots returns how many slots there are.
func (c *cluster) slots(t *testing.T) int {
	t.Helper()
	var overview struct {
		Slots int `json:"slots-total"`
	}
	c.ask(t, http.MethodGet, "/overview", &overview)
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
func (c *cluster) jobs(t *testing.T) []flinkJob {
	t.Helper()
	var overview struct {
		Jobs []flinkJob `json:"jobs"`
	}
	c.ask(t, http.MethodGet, "/jobs/overview", &overview)
	return overview.Jobs
}

// running returns the job that runs, "" where none does.
func (c *cluster) running(t *testing.T) string {
	t.Helper()
	for _, j := range c.jobs(t) {
		if j.State == "RUNNING" {
			return j.ID
		}
	}
	return ""
}

// took returns how long the last job took.
func (c *cluster) took(t *testing.T) time.Duration {
	t.Helper()
	last := slices.MaxFunc(append(c.jobs(t), flinkJob{}), func(a, b flinkJob) int { return cmp.Compare(a.Start, b.Start) })
	return time.Duration(last.Duration) * time.Millisecond
}

// restarts returns how many failures a job met.
func (c *cluster) restarts(t *testing.T, id string) int {
	t.Helper()
	var failures struct {
		History struct {
			Entries []struct{} `json:"entries"`
		} `json:"exceptionHistory"`
	}
	c.ask(t, http.MethodGet, "/jobs/"+id+"/exceptions", &failures)
	return len(failures.History.Entries)
}

// checkJava skips the test where there is no JDK of version 11 or later.
func checkJava(t *testing.T) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "java", "-version").CombinedOutput()
	_, rest, _ := bytes.Cut(out, []byte(`version "`))
	major, _, _ := strings.Cut(string(rest), ".")
	if n, noNumber := strconv.Atoi(major); err != nil || noNumber == nil && n < 11 {
		t.Skipf("java 11 or later is not on this machine: %s", out)
	}
	if _, err := exec.LookPath("javac"); err != nil {
		t.Skip("javac (a JDK) is not on this machine")
	}
}
