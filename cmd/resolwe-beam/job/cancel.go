package job

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// cancelTime is how long to wait for the end of a cancelled job.
const cancelTime = 20 * time.Second

// jobName returns a unique name for the job, with the prefix that the flag sets.
func (r *Runner) jobName(b Mailbox) string { return cmp.Or(r.job, "resolwe") + strings.ToLower(b.ID) }

// plain returns a name as Flink's job server rewrites it; the server then appends user and date.
func plain(name string) string { return special.ReplaceAllString(strings.ToLower(name), "0") }

var special = regexp.MustCompile("[^a-z0-9]")

// cancelJob cancels a job that would continue without this program.
func (r *Runner) cancelJob(name string) {
	if r.Name != universal {
		return // it ended with the context, or runs on Dataflow: its workers see that nobody wants results
	}
	ctx, cancel := context.WithTimeout(context.Background(), cancelTime)
	defer cancel()
	if err := cancelAt(ctx, *jobopts.Endpoint, name); err != nil {
		r.Log.Warn("the job may still run: " + err.Error())
	}
}

// cancelAt cancels the job with a name at a job service, and waits for its end.
func cancelAt(ctx context.Context, endpoint, name string) error {
	conn, err := grpcx.Dial(ctx, endpoint, cancelTime)
	if err != nil {
		return err
	}
	defer conn.Close()
	service := jobpb.NewJobServiceClient(conn)
	jobs, err := service.GetJobs(ctx, &jobpb.GetJobsRequest{})
	if err != nil {
		return err
	}
	for _, j := range jobs.GetJobInfo() {
		if !strings.HasPrefix(plain(j.GetJobName()), plain(name)) {
			continue
		}
		if err := cancelOne(ctx, service, j.GetJobId()); err != nil {
			return fmt.Errorf("%s: %w", j.GetJobId(), err)
		}
	}
	return nil
}

// ended are the final states of jobs.
var ended = []jobpb.JobState_Enum{
	jobpb.JobState_CANCELLED, jobpb.JobState_DONE, jobpb.JobState_FAILED, jobpb.JobState_STOPPED,
}

func cancelOne(ctx context.Context, service jobpb.JobServiceClient, id string) error {
	if _, err := service.Cancel(ctx, &jobpb.CancelJobRequest{JobId: id}); err != nil {
		return err
	}
	for {
		state, err := service.GetState(ctx, &jobpb.GetJobStateRequest{JobId: id})
		if err != nil {
			return err
		}
		if slices.Contains(ended, state.GetState()) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}
