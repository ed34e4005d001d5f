package crossval_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"resolwe"
	"resolwe/crossval"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
	"resolwe/internal/wire"
)

const trials = 4 * 6 // four folds, six systems

// job is a cross-validation that records its steps and checkpoints.
type job struct {
	crossval.Options
	steps       []string
	checkpoints [][]byte
}

func newJob() *job {
	j := &job{Options: crossval.Options{Systems: crossval.Systems()}}
	j.Seed, j.Select.Subgraphs, j.Select.Threshold = 7, 3, new(0.5)
	j.Checkpoints.Save = func(data []byte) error {
		j.checkpoints = append(j.checkpoints, bytes.Clone(data))
		return nil
	}
	j.Stage = func(step string) { j.steps = append(j.steps, step) }
	return j
}

func (j *job) run(ctx context.Context, tb testing.TB) (*crossval.Result, error) {
	tb.Helper()
	m := streamtest.Parse(tb, candidates)
	return crossval.Run(ctx, m, streamtest.InMemory(tb, m, streamtest.IndependentDB(1, 12)), j.Options)
}

// last returns the last checkpoint.
func (j *job) last() []byte { return j.checkpoints[len(j.checkpoints)-1] }

// predicted returns the number of trials that reached prediction.
func (j *job) predicted() int {
	n := 0
	for _, s := range j.steps {
		if strings.Contains(s, "predict") {
			n++
		}
	}
	return n
}

// A run can be resumed from any of its checkpoints, with any number of workers: finished work is not repeated, and the result and the
// following checkpoints are the same.
func TestRun_Resume(t *testing.T) {
	t.Parallel()
	whole := newJob()
	want, err := whole.run(t.Context(), t)
	check.OK(t, err)
	check.Equal(t, "checkpoints and trials", []int{len(whole.checkpoints), whole.predicted()}, []int{trials, trials})
	for i := 0; i < trials; i += 5 {
		data := whole.checkpoints[i]
		again := newJob()
		again.Checkpoints.Resume, again.Run.Workers = data, 1+i%3
		total, counted := 0, 0
		again.Begin, again.Run.Progress = func(n int) { total = n }, func(n int) { counted += n }
		got, err := again.run(t.Context(), t)
		check.OK(t, err)
		check.Equal(t, "result", got, want, cmpopts.EquateNaNs())
		check.Equal(t, "trials", again.predicted(), trials-1-i)
		check.Equal(t, "checkpoints", again.checkpoints, whole.checkpoints[i+1:], cmpopts.EquateEmpty())
		check.Equal(t, "progress", counted, total)
	}
}

// A run that is stopped returns what is finished: the figures of whole folds.
func TestRun_Partial(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, candidates)
	subs := streamtest.Subgraphs(t, m, streamtest.IndependentDB(1, 12))
	for _, test := range []struct {
		step     string
		finished int
	}{{"fold 1: select single", 0}, {"fold 2: select paper", 1}, {"fold 3: learn skipSelection", 2}, {"fold 4: predict logistic", 3}} {
		ctx, cancel := context.WithCancel(t.Context())
		j := newJob()
		j.Stage = func(step string) {
			if step == test.step {
				cancel()
			}
		}
		got, err := j.run(ctx, t)
		check.ErrorIs(t, err, context.Canceled, "%s", test.step)
		if test.finished == 0 {
			check.Equal(t, "result", got, (*crossval.Result)(nil))
			continue
		}
		check.Equal(t, "folds", []int{got.Finished, got.Folds}, []int{test.finished, 4})
		want := byHand(t, m, subs, shuffled(12, 4, 7), j.Options, false, test.finished)
		check.Equal(t, test.step, got.Systems, want, nearly)
		compareTests(t, got)

		again := newJob()
		again.Checkpoints.Resume = j.checkpoints[len(j.checkpoints)-1]
		whole, err := newJob().run(t.Context(), t)
		check.OK(t, err)
		resumed, err := again.run(t.Context(), t)
		check.OK(t, err)
		check.Equal(t, "resumed after "+test.step, resumed, whole, cmpopts.EquateNaNs())
	}
}

// models returns the length of the models at the end of the last checkpoint.
func models(r *crossval.Result) (n int) {
	for i := range r.Systems {
		for _, text := range r.Systems[i].Models {
			n += 8 + len(text)
		}
	}
	return n
}

// Trials of a checkpoint of an earlier version, which has no models, are repeated, with a warning.
func TestRun_ResumeWithoutModels(t *testing.T) {
	t.Parallel()
	whole := newJob()
	want, err := whole.run(t.Context(), t)
	check.OK(t, err)
	body := wire.Unsealed(whole.last())
	again, warnings := newJob(), []string(nil)
	again.Checkpoints.Resume = wire.Seal(bytes.Clone(body[:len(body)-models(want)]))
	again.Warn = func(text string) { warnings = append(warnings, text) }
	got, err := again.run(t.Context(), t)
	check.OK(t, err)
	check.Equal(t, "result", got, want, cmpopts.EquateNaNs())
	check.Equal(t, "trials", again.predicted(), trials)
	check.Equal(t, "last checkpoint", again.last(), whole.last())
	check.Equal(t, "warnings", warnings, []string{"the checkpoint is of an earlier version, which did not keep predictions or models: 24 trials are repeated"})
}

// An error from saving ends the run.
func TestRun_SaveFails(t *testing.T) {
	t.Parallel()
	full := errors.New("full")
	j := newJob()
	j.Checkpoints.Save = func([]byte) error { return full }
	check.ErrorIs(t, check.Err(j.run(t.Context(), t)), full, "error")
}

// A resumed run may compare other systems.
func TestRun_ResumeWithOthers(t *testing.T) {
	t.Parallel()
	want, err := newJob().run(t.Context(), t)
	check.OK(t, err)
	first := newJob()
	first.Systems = named(t, "base", "paper")
	_, err = first.run(t.Context(), t)
	check.OK(t, err)
	second := newJob()
	second.Checkpoints.Resume = first.checkpoints[4]
	got, err := second.run(t.Context(), t)
	check.OK(t, err)
	check.Equal(t, "result", got, want, cmpopts.EquateNaNs())
	check.Equal(t, "trials", second.predicted(), trials-5)
}

// Checkpoints of another task, stream or options are refused, with the reason.
func TestRun_ResumeRefused(t *testing.T) {
	t.Parallel()
	whole := newJob()
	_, err := whole.run(t.Context(), t)
	check.OK(t, err)
	checkpoint := whole.checkpoints[1] // in the middle of a fold
	db := streamtest.IndependentDB(1, 12)
	for _, test := range []struct {
		want      string
		set       func(*job)
		model, db string
	}{
		{"the model", nil, candidates + "f(y) => r(y)\n", db},
		{"the model", nil, strings.Replace(candidates, "0.5", "0.6", 1), db},
		{"the number of subgraphs", nil, candidates, streamtest.IndependentDB(1, 13)},
		{"the contents of the stream", nil, candidates, strings.Replace(db, "@subgraph s3\n", "@subgraph t3\n", 1)},
		{"the contents of the stream", nil, candidates, strings.Replace(db, "\nq(", "\n!q(", 1)},
		{"the model's constants, which belong to all domains", nil, "a = {A0, Z}\n" + candidates, db},
		{"the stream or its folds", func(j *job) { j.Seed = 8 }, candidates, db},
		{"crossval.Options.Folds", func(j *job) { j.Folds = 3 }, candidates, db},
		{"SelectOptions.Subgraphs", func(j *job) { j.Select.Subgraphs = 4 }, candidates, db},
		{"SelectOptions.Threshold", func(j *job) { j.Select.Threshold = new(.6) }, candidates, db},
		{"SelectOptions.Criterion", func(j *job) { j.Select.Criterion = resolwe.Lift }, candidates, db},
		{"an option of selection by gain", func(j *job) { j.Select.Gain.Depth = 2 }, candidates, db},
		{"crossval.Options.LearnOn", func(j *job) { j.LearnOn = crossval.LearnAll }, candidates, db},
		{"LearnOptions.Sigma", func(j *job) { j.Learn.Sigma = 3 }, candidates, db},
		{"LearnOptions.Seed", func(j *job) { j.Learn.Seed = 3 }, candidates, db},
		{"InferOptions.Samples", func(j *job) { j.Infer.Samples = 3 }, candidates, db},
		{"InferOptions.BurnIn", func(j *job) { j.Infer.BurnIn = new(3) }, candidates, db},
		{"InferOptions.Error", func(j *job) { j.Infer.Error = .3 }, candidates, db},
		{"InferOptions.Method", func(j *job) { j.Infer.Method = resolwe.MethodGibbs }, candidates, db},
		{"InferOptions.Given", func(j *job) { j.Infer.Given = true }, candidates, db},
		{"the seed of inference", func(j *job) { j.Infer.Seed = 3 }, candidates, db},
		{"the contents of the stream", nil, candidates, strings.ReplaceAll(db, "\n@subgraph", "\nr(Another)\n@subgraph")},
	} {
		j := newJob()
		j.Checkpoints.Resume = checkpoint
		if test.set != nil {
			test.set(j)
		}
		m := streamtest.Parse(t, test.model)
		_, err := crossval.Run(t.Context(), m, streamtest.InMemory(t, m, test.db), j.Options)
		e, ok := errors.AsType[*resolwe.CheckpointError](err)
		if !ok || e.Damaged || e.Reason != "it belongs to a run that differs in "+test.want {
			t.Errorf("%s: got %v", test.want, err)
		}
	}
	other := newJob() // an option that does not affect results
	other.Checkpoints.Resume, other.Run.Workers = checkpoint, 2
	_, err = other.run(t.Context(), t)
	check.OK(t, err)
}

// Any bytes are either an error or a checkpoint, which is written as it was read, after which comes what earlier versions lacked.
func FuzzResume(f *testing.F) {
	whole := newJob()
	last, err := whole.run(f.Context(), f)
	check.OK(f, err)
	f.Add(whole.checkpoints[trials-1])
	f.Add(whole.checkpoints[0][:100])
	f.Add([]byte{})
	body := wire.Unsealed(whole.checkpoints[trials-1])
	withoutModels := len(body) - models(last)
	f.Add(wire.Seal(bytes.Clone(body[:withoutModels])))
	withoutCases := withoutModels // each record ends with its numbers of atoms and units, and these
	for _, s := range last.Systems {
		for _, f := range s.Figures {
			withoutCases -= 2 * 8 * f.Atoms
		}
	}
	withoutCases -= 2 * 8 * trials
	f.Add(wire.Seal(bytes.Clone(body[:withoutCases])))
	withoutDoubts := withoutCases - 8*trials
	withoutAreas := withoutDoubts - 8*(1+trials)
	f.Add(wire.Seal(bytes.Clone(body[:withoutDoubts])))
	f.Add(wire.Seal(bytes.Clone(body[:withoutAreas])))
	identity := crossval.Identity(whole.checkpoints[0])
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, text := range [][]byte{data, streamtest.Reseal(data)} {
			again, err := crossval.Again(text, 4, identity)
			if err == nil && !bytes.HasPrefix(again, wire.Unsealed(text)) {
				t.Error("what was read is written otherwise")
			}
			if err != nil && !errors.As(err, new(*resolwe.CheckpointError)) {
				t.Errorf("got %v, want a *resolwe.CheckpointError", err)
			}
		}
	})
}

// A change of any single byte is detected.
func TestRun_ResumeDamaged(t *testing.T) {
	t.Parallel()
	whole := newJob()
	_, err := whole.run(t.Context(), t)
	check.OK(t, err)
	data := whole.checkpoints[1]
	for i := 0; i < len(data); i += 1 + len(data)/200 {
		j := newJob()
		j.Checkpoints.Resume = bytes.Clone(data)
		j.Checkpoints.Resume[i] ^= 0x10
		if _, err := j.run(t.Context(), t); !errors.Is(err, subgraph.ErrCorrupt) {
			t.Fatalf("byte %d of %d: got %v, want %v", i, len(data), err, subgraph.ErrCorrupt)
		}
	}
}

func TestNamed(t *testing.T) {
	t.Parallel()
	got, err := crossval.Named("base", "paper")
	check.OK(t, err)
	check.Equal(t, "systems", fmt.Sprint(got[0].Name, " ", got[1].Name, " ", len(got)), "base paper 2")
	_, err = crossval.Named("base", "resolwe")
	if !errors.As(err, new(*resolwe.OptionError)) || !strings.Contains(err.Error(), `no system "resolwe"; the systems are gain, paper, skipSelection, base, single, logistic, all`) {
		t.Errorf("got %v", err)
	}
}

// Without names, the systems are those that do not learn by sampling, and the one of the criterion in the options.
func TestRun_DefaultSystems(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, candidates)
	for criterion, want := range map[resolwe.Criterion]string{
		0: "gain base single logistic", resolwe.Gain: "gain base single logistic", resolwe.Lift: "gain base single logistic lift",
	} {
		opt := crossval.Options{Folds: 2, Select: resolwe.SelectOptions{Criterion: criterion, Subgraphs: 3}}
		got, err := crossval.Run(t.Context(), m, streamtest.InMemory(t, m, streamtest.IndependentDB(1, 12)), opt)
		check.OK(t, err)
		var names []string
		for i := range got.Systems {
			names = append(names, got.Systems[i].Name)
		}
		check.Equal(t, "systems", strings.Join(names, " "), want)
	}
}

// A system defined by the caller is compared like any other.
func TestRun_OwnSystem(t *testing.T) {
	t.Parallel()
	own := func(_ context.Context, t *crossval.Training) (*crossval.Trained, error) {
		return &crossval.Trained{Model: t.Model}, nil // unweighted: every probability is one half, apart from the task's own weight
	}
	j := newJob()
	j.Systems = named(t, "paper")
	j.Systems = append(j.Systems, crossval.System{Name: "none", Train: own})
	j.Select.Criterion, j.Select.Threshold = resolwe.Lift, nil
	got, err := j.run(t.Context(), t)
	check.OK(t, err)
	names := fmt.Sprint(got.Systems[0].Name, " ", got.Systems[1].Name, " ", got.Tests[2].Against, " ", got.Threshold)
	check.Equal(t, "names", names, "lift none none 1.5")
	compareTests(t, got)
	j.Systems = append(j.Systems, j.Systems[0])
	check.ErrorAs[*resolwe.OptionError](t, check.Err(j.run(t.Context(), t)), "one system twice")
	j.Systems = []crossval.System{}
	check.ErrorAs[*resolwe.OptionError](t, check.Err(j.run(t.Context(), t)), "no systems")
	if diff := cmp.Diff(got.LearnedOn, crossval.LearnRest); diff != "" {
		t.Error(diff)
	}
}
