package stage

import (
	"context"

	"resolwe"
	"resolwe/cmd/internal/flags"

	"resolwe/cmd/resolwe-beam/distributed"
	"resolwe/cmd/resolwe-beam/job"
	"resolwe/cmd/resolwe-beam/shard"
)

// Evaluate infers on shards and compares the marginals with the truth. It returns what the function Evaluate of package resolwe returns on
// their stream, and the number of damaged subgraphs left out. figures, unless nil, become those of the subgraphs.
func Evaluate(
	ctx context.Context, r *job.Runner, t Task, args flags.Infer, seed uint64, list []shard.Shard, figures *[]distributed.SubgraphFigures,
) (*resolwe.Evaluation, uint64, error) {
	if _, err := args.Options(seed); err != nil {
		return nil, 0, err
	}
	var sum distributed.EvaluationSum
	left := uint64(0)
	j := shardJob{stage: "evaluate", worker: &evaluating{args, seed}, names: true, check: true, list: list}
	j.begin = func() {
		sum, left = distributed.EvaluationSum{}, 0
		if figures != nil {
			*figures = nil
		}
	}
	j.take = func(_ int, result []byte) error {
		var p distributed.EvaluationPart
		if err := p.UnmarshalBinary(result); err != nil {
			return err
		}
		left += uint64(p.Skipped)
		if figures != nil {
			*figures = append(*figures, p.Subgraphs...)
		}
		return sum.Add(&p)
	}
	err := j.run(ctx, r, t)
	return sum.Evaluation(seed), left, err
}

// evaluating evaluates on a shard.
type evaluating struct {
	Args flags.Infer `json:"args"`
	Seed uint64      `json:"seed"`
}

func (w *evaluating) work(ctx context.Context, t *Task, _ shard.Shard, stream *resolwe.Stream) ([]byte, error) {
	opt, err := w.Args.Options(w.Seed)
	if err != nil {
		return nil, err
	}
	opt.Run = t.run()
	part, err := distributed.EvaluatePart(ctx, t.model, stream, opt)
	if err != nil {
		return nil, err
	}
	return part.MarshalBinary()
}
