package job

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os/exec"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/harness"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc"
	"google.golang.org/grpc/peer"
	"google.golang.org/protobuf/encoding/protojson"
)

// Pool starts workers when a runner asks for them: Beam's service for external environments. The SDK's own pool accepts each worker id only
// once, but the task managers of a Flink job give their workers equal ids.
type Pool struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer

	work   func(context.Context, *fnpb.StartWorkerRequest) // runs a worker until it is done
	ctx    context.Context                                 //nolint:containedctx // of all workers
	cancel context.CancelFunc
	server *grpc.Server
	listen net.Listener

	most int // the most workers at a time

	mu      sync.Mutex
	workers map[string]*poolWorker // by id and client
	number  int                    // number of workers, including those stopped but not yet ended
	running sync.WaitGroup
}

// poolWorker is a worker that has not been stopped.
type poolWorker struct{ cancel context.CancelFunc }

// StartPool listens at an address. Workers run in this process or, if command is not empty, each in a process of its own, up to a limit:
// the command, which calls ServeWorker. Its output goes to stderr. The error is a *net.OpError.
func StartPool(address string, most int, command []string, stderr io.Writer) (*Pool, error) {
	initialize()
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &Pool{
		ctx: ctx, cancel: cancel, server: grpc.NewServer(), listen: l, most: most, workers: map[string]*poolWorker{},
	}
	p.work = serve
	if len(command) > 0 {
		p.work = func(ctx context.Context, req *fnpb.StartWorkerRequest) { process(ctx, req, command, stderr) }
	}
	fnpb.RegisterBeamFnExternalWorkerPoolServer(p.server, p)
	go func() { _ = p.server.Serve(l) }() // until Close
	return p, nil
}

// Address returns the HOST:PORT of the pool.
func (p *Pool) Address() string { return p.listen.Addr().String() }

// IsLoopback reports whether the pool can be reached only from this machine.
func (p *Pool) IsLoopback() bool {
	address, ok := p.listen.Addr().(*net.TCPAddr)
	return ok && address.IP.IsLoopback()
}

// Close stops the pool and its workers.
func (p *Pool) Close() {
	p.server.Stop()
	p.cancel()
	p.running.Wait()
}

// StartWorker starts a worker.
func (p *Pool) StartWorker(ctx context.Context, req *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {
	if req.GetControlEndpoint().GetUrl() == "" || req.GetLoggingEndpoint().GetUrl() == "" {
		return &fnpb.StartWorkerResponse{Error: "a worker takes endpoints for control and logging"}, nil
	}
	key := clientKey(ctx, req.GetWorkerId())
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.workers[key]; ok || p.ctx.Err() != nil {
		return &fnpb.StartWorkerResponse{Error: "no worker can be started: " + key}, nil
	}
	if p.number == p.most {
		return &fnpb.StartWorkerResponse{Error: fmt.Sprintf("the pool has %d workers, the most that --workers allows", p.most)}, nil
	}
	working, cancel := context.WithCancel(p.ctx)
	worker := &poolWorker{cancel}
	p.workers[key] = worker
	p.number++
	p.running.Go(func() {
		p.work(working, req)
		p.mu.Lock()
		defer p.mu.Unlock()
		cancel()
		p.number--
		if p.workers[key] == worker { // not one started later under the same key
			delete(p.workers, key)
		}
	})
	return &fnpb.StartWorkerResponse{}, nil
}

// StopWorker stops a worker, if it has not ended by itself.
func (p *Pool) StopWorker(ctx context.Context, req *fnpb.StopWorkerRequest) (*fnpb.StopWorkerResponse, error) {
	key := clientKey(ctx, req.GetWorkerId())
	p.mu.Lock()
	defer p.mu.Unlock()
	if worker := p.workers[key]; worker != nil {
		worker.cancel()
		delete(p.workers, key)
	}
	return &fnpb.StopWorkerResponse{}, nil
}

// clientKey returns a key for a client's worker.
func clientKey(ctx context.Context, id string) string {
	if client, ok := peer.FromContext(ctx); ok {
		return id + " of " + client.Addr.String()
	}
	return id
}

// serve runs a worker in this process. It ends with the runner's connection, or with the context.
func serve(ctx context.Context, req *fnpb.StartWorkerRequest) {
	ctx = grpcx.WriteWorkerID(ctx, req.GetWorkerId())
	var opt harness.Options
	if url := req.GetProvisionEndpoint().GetUrl(); url != "" {
		if info, err := tools.ProvisionInfo(ctx, url); err == nil { // otherwise use the defaults
			opt.StatusEndpoint, opt.RunnerCapabilities = info.GetStatusEndpoint().GetUrl(), info.GetRunnerCapabilities()
		}
	}
	// An error means that the runner has gone, which is how workers end.
	_ = harness.MainWithOptions(ctx, req.GetLoggingEndpoint().GetUrl(), req.GetControlEndpoint().GetUrl(), opt)
}

// lives is how often a worker may be killed: a runner waits forever for one that never connects.
const lives = 4

// process runs a worker in a process, see ServeWorker, and starts another if it is killed.
func process(ctx context.Context, req *fnpb.StartWorkerRequest, command []string, stderr io.Writer) {
	text, err := protojson.Marshal(req)
	for life := 0; err == nil && life < lives && ctx.Err() == nil; life++ {
		var killed bool
		if killed, err = runProcess(ctx, append(text, '\n'), command, stderr); !killed {
			break // the runner has gone
		}
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
	}
}

// runProcess runs a command until it or the context ends, and keeps its stdin open after the input. It reports whether a signal ended it.
func runProcess(ctx context.Context, input []byte, command []string, stderr io.Writer) (killed bool, err error) {
	c := exec.CommandContext(ctx, command[0], command[1:]...) //nolint:gosec // the program itself
	c.Stdout, c.Stderr = stderr, stderr
	c.WaitDelay = 5 * time.Second // time for it and its children to end by themselves
	stdin, err := c.StdinPipe()
	c.Cancel = func() error { return stdin.Close() }
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return false, err
	}
	_, _ = stdin.Write(input) // fails if the command has failed
	_ = c.Wait()
	return c.ProcessState.ExitCode() < 0, nil
}

// ServeWorker runs the worker that a pool asked for in a line of r. It ends with r, so that it does not outlive the pool.
func ServeWorker(ctx context.Context, r io.Reader) error {
	in := bufio.NewReader(r)
	line, err := in.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("worker: %w", err)
	}
	req := &fnpb.StartWorkerRequest{}
	if err := protojson.Unmarshal(line, req); err != nil {
		return fmt.Errorf("worker: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = in.ReadByte()
		cancel()
	}()
	initialize()
	serve(ctx, req)
	return nil
}
