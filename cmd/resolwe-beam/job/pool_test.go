package job_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"resolwe/internal/test/check"

	"resolwe/cmd/resolwe-beam/job"
)

// output is what processes print.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) count(word string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Count(o.text.String(), word)
}

// until waits until processes have printed a word so often.
func (o *output) until(t *testing.T, word string, n int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); o.count(word) < n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("got %q, want %q %d times", o.text.String(), word, n)
		}
	}
}

// most is how many workers a pool of these tests has.
const most = 3

// pool starts one whose workers are a shell script.
func pool(t *testing.T, script string) (*job.Pool, *output) {
	t.Helper()
	out := &output{}
	p, err := job.StartPool("localhost:0", most, []string{"sh", "-c", script}, out)
	check.OK(t, err)
	t.Cleanup(p.Close)
	return p, out
}

// client connects to a pool, as a task manager does.
func client(t *testing.T, p *job.Pool) fnpb.BeamFnExternalWorkerPoolClient {
	t.Helper()
	conn, err := grpc.NewClient(p.Address(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	check.OK(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return fnpb.NewBeamFnExternalWorkerPoolClient(conn)
}

// ask asks for a worker, and returns what the pool has against it.
func ask(t *testing.T, c fnpb.BeamFnExternalWorkerPoolClient, id string) string {
	t.Helper()
	at := &pipepb.ApiServiceDescriptor{Url: "localhost:1"}
	resp, err := c.StartWorker(t.Context(), &fnpb.StartWorkerRequest{WorkerId: id, ControlEndpoint: at, LoggingEndpoint: at})
	check.OK(t, err)
	return resp.GetError()
}

// Two task managers of one job give their workers one id, and each stops its own.
func TestPool_EqualIDs(t *testing.T) {
	t.Parallel()
	p, out := pool(t, `read line; echo "got $line"; cat; echo ended`)
	a, b := client(t, p), client(t, p)
	for _, c := range []fnpb.BeamFnExternalWorkerPoolClient{a, b} {
		check.Equal(t, "error", ask(t, c, "1-1"), "")
	}
	out.until(t, `"workerId":`, 2)
	if ask(t, a, "1-1") == "" {
		t.Error("a worker is started twice")
	}
	for range 2 { // the second finds nothing
		_, err := a.StopWorker(t.Context(), &fnpb.StopWorkerRequest{WorkerId: "1-1"})
		check.OK(t, err)
	}
	if ask(t, b, "1-1") == "" {
		t.Error("the worker of another client was stopped")
	}
	check.Equal(t, "error", ask(t, a, "1-1"), "")
	out.until(t, "got", 3)
}

// A worker that is killed comes back a few times; one that ends does not, and its id is free again.
func TestPool_Killed(t *testing.T) {
	t.Parallel()
	p, out := pool(t, `echo started; kill -9 $$`)
	c := client(t, p)
	check.Equal(t, "error", ask(t, c, "1-1"), "")
	out.until(t, "started", 4)
	p, out = pool(t, `echo started; exit 1`)
	c = client(t, p)
	check.Equal(t, "error", ask(t, c, "1-1"), "")
	out.until(t, "started", 1)
	for end := time.Now().Add(20 * time.Second); ask(t, c, "1-1") != ""; {
		if time.Now().After(end) {
			t.Fatal("a worker that has ended is in the way of another")
		}
	}
	out.until(t, "started", 2)
}

// A pool starts no more processes than it may have, whoever asks; a place is free when a process has ended.
func TestPool_Most(t *testing.T) {
	t.Parallel()
	p, out := pool(t, `echo started; cat >/dev/null; sleep 0.2; echo ended`)
	c := client(t, p)
	for i := range most {
		check.Equal(t, "error", ask(t, c, strconv.Itoa(i)), "")
	}
	check.Contains(t, ask(t, client(t, p), "more"), "3 workers", "output")
	out.until(t, "started", most)
	_, err := c.StopWorker(t.Context(), &fnpb.StopWorkerRequest{WorkerId: "1"})
	check.OK(t, err)
	for end := time.Now().Add(20 * time.Second); ask(t, c, "1") != ""; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("no place is free where a worker was stopped")
		}
	}
	if out.count("ended") == 0 {
		t.Error("a worker was started before the one in its place had ended")
	}
	out.until(t, "started", most+1)
}

// What a pool reads has to be a request.
func TestServeWorker(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"", "{}", "no\n"} {
		check.Fails(t, job.ServeWorker(t.Context(), strings.NewReader(in)), "%q", in)
	}
}
