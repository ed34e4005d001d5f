package stage

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"resolwe"
	"resolwe/cmd/internal/flags"
	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
	"resolwe/distributed"
)

func init() {
	register.DoFn2x2[context.Context, string, string, error](&evalFn{})
}

// Evaluate infers on shards and compares the marginals with the truth. It returns what the function Evaluate of package
// resolwe returns on the stream of them, and how many damaged subgraphs were left out. see, unless nil, gets the parts in
// their order.
func Evaluate(
	ctx context.Context, r *job.Runner, t Task, args flags.Infer, seed uint64, list []shard.Shard,
	see func(*distributed.EvaluationPart) error,
) (*resolwe.Evaluation, uint64, error) {
	if _, err := args.Options(seed); err != nil {
		return nil, 0, err
	}
	var sum distributed.EvaluationSum
	left := uint64(0)
	if len(list) == 0 {
		return sum.Evaluation(), 0, nil
	}
	work := func(box job.Mailbox) job.Work {
		return each(list, func() job.Fn[string] { return &evalFn{Task: t.of(box), Args: args, Seed: seed} })
	}
	err := r.Run(ctx, work, func(box job.Mailbox) error {
		for _, s := range list {
			data, err := box.Get(ctx, figuresFile(s))
			if err != nil {
				return err
			}
			var p distributed.EvaluationPart
			if err := p.UnmarshalBinary(data); err != nil {
				return err
			}
			if err := sum.Add(&p); err != nil {
				return err
			}
			left += uint64(p.Skipped)
			if see == nil {
				continue
			}
			if err := see(&p); err != nil {
				return err
			}
		}
		return nil
	})
	return sum.Evaluation(), left, err
}

func figuresFile(s shard.Shard) string { return fmt.Sprintf("figures-%d", s.Number) }

// evalFn evaluates on a shard.
type evalFn struct {
	Task Task        `json:"task"`
	Args flags.Infer `json:"args"`
	Seed uint64      `json:"seed"`
}

// ProcessElement leaves the figures of a shard's subgraphs in the mailbox.
func (f *evalFn) ProcessElement(ctx context.Context, element string) (string, error) {
	return element, f.Task.on(ctx, element, true, figuresFile, func(s shard.Shard, stream *resolwe.Stream) error {
		m, err := f.Task.load()
		if err != nil {
			return err
		}
		opt, err := f.Args.Options(f.Seed)
		if err != nil {
			return err
		}
		opt.Run = f.Task.run()
		part, err := distributed.EvaluatePart(ctx, m, stream, opt)
		if err != nil {
			return err
		}
		data, err := part.MarshalBinary()
		if err != nil {
			return err
		}
		return f.Task.Box.Put(ctx, figuresFile(s), data)
	})
}
