package crossval

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"resolwe"
	"resolwe/internal/wire"
	"resolwe/kernels/rank"
)

// A checkpoint is written by package wire, with the fields of properties and of records in their order; it lists the trials
// by fold and system, and ends with the checkpoint of the discovery that is at work.
const checkpointMagic, checkpointVersion = "\x93RSWCV", "\x03\n"

// properties lists what the records depend on, but for what the stream holds: of that its names and folds stand for it.
func (r *run) properties(entries []resolwe.Entry) ([]resolwe.Property, error) {
	task, err := resolwe.NewLearnTask(r.model, r.opt.Learn)
	if err != nil {
		return nil, err
	}
	names := sha256.New()
	for _, constants := range r.model.Constants {
		fmt.Fprintf(names, "%q\n", constants)
	}
	for _, e := range entries {
		fmt.Fprintln(names, e.Index, strconv.Quote(e.Name))
	}
	for _, f := range r.folds {
		fmt.Fprintln(names, f)
	}
	sel, inf := r.opt.byThreshold(), &r.opt.Infer
	burnIn := "default"
	if inf.BurnIn != nil {
		burnIn = strconv.Itoa(*inf.BurnIn)
	}
	properties := task.Properties(r.size)
	if d := r.opt.Discover; d != nil {
		properties = append(properties, resolwe.Property{Name: "an option of discovery", Value: d.Identity()})
	}
	return append(
		properties,
		resolwe.Property{Name: "--folds", Value: strconv.Itoa(len(r.folds)), Field: "crossval.Options.Folds"},
		resolwe.Property{Name: "--test", Value: strconv.Itoa(r.opt.Test), Field: "crossval.Options.Test"},
		resolwe.Property{Name: "the stream or its folds", Value: hex.EncodeToString(names.Sum(nil))},
		resolwe.Property{Name: "--k2", Value: strconv.Itoa(r.opt.Select.Subgraphs), Field: "SelectOptions.Subgraphs"},
		resolwe.Property{Name: "--criterion", Value: sel.Criterion.String(), Field: "SelectOptions.Criterion"},
		resolwe.Property{Name: "--theta", Value: decimal(*sel.Threshold), Field: "SelectOptions.Threshold"},
		resolwe.Property{Name: "an option of selection by gain", Value: fmt.Sprintf("%+v", sel.Gain)},
		resolwe.Property{Name: "--learn-on", Value: strconv.Itoa(int(r.opt.LearnOn)), Field: "crossval.Options.LearnOn"},
		resolwe.Property{Name: "--infer-method", Value: string(inf.Method)},
		resolwe.Property{Name: "--samples", Value: strconv.Itoa(inf.Samples), Field: "InferOptions.Samples"},
		resolwe.Property{Name: "--burn-in", Value: burnIn, Field: "InferOptions.BurnIn"},
		resolwe.Property{Name: "--chains", Value: strconv.Itoa(inf.Chains), Field: "InferOptions.Chains"},
		resolwe.Property{Name: "--sweeps", Value: strconv.Itoa(inf.Sweeps), Field: "InferOptions.Sweeps"},
		resolwe.Property{Name: "--error", Value: decimal(inf.Error), Field: "InferOptions.Error"},
		resolwe.Property{Name: "--given", Value: strconv.FormatBool(inf.Given)},
		resolwe.Property{Name: "the seed of inference", Value: strconv.FormatUint(inf.Seed, 10)},
	), nil
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// save hands what is finished to the caller, who keeps it.
func (r *run) save() error {
	if r.opt.Checkpoints.Save == nil {
		return nil
	}
	return r.opt.Checkpoints.Save(r.encode())
}

func (r *run) encode() []byte {
	w := wire.NewWriter(checkpointMagic + checkpointVersion)
	w.Int(len(r.identity))
	for _, p := range r.identity {
		w.String(p.Name)
		w.String(p.Value)
	}
	w.Int(len(r.done))
	for _, t := range slices.SortedFunc(maps.Keys(r.done), trial.compare) {
		w.Int(t.fold)
		w.String(t.system)
		r.done[t].write(w)
	}
	w.Int(r.growing.fold)
	w.String(string(r.growing.data))
	return w.Sealed()
}

func (t trial) compare(u trial) int {
	return cmp.Or(cmp.Compare(t.fold, u.fold), strings.Compare(t.system, u.system))
}

// resume takes the records of a checkpoint beside those that there are; nil is none. Those of systems that are not compared
// now are kept.
func (r *run) resume(data []byte) error {
	if data == nil {
		return nil
	}
	if err := resolwe.CheckVersion(data, checkpointMagic, checkpointVersion, "a cross-validation"); err != nil {
		return err
	}
	in := wire.NewReader(data, checkpointMagic+checkpointVersion)
	if err := resolwe.SameRun(readIdentity(in), r.identity); err != nil {
		return err
	}
	done := map[trial]*record{}
	last := trial{-1, ""}
	wire.List(in, 16, func() (none struct{}) {
		t := trial{in.Int(), in.String()}
		in.Refuse(t.fold >= len(r.folds) || t.compare(last) <= 0)
		done[t], last = readRecord(in), t
		return none
	})
	found := growing{in.Int(), []byte(in.String())}
	if !in.Done() {
		return &resolwe.CheckpointError{Reason: "damaged", Damaged: true}
	}
	maps.Copy(r.done, done)
	r.growing = found
	return nil
}

func readIdentity(r *wire.Reader) []resolwe.Property {
	return wire.List(r, 16, func() resolwe.Property { return resolwe.Property{Name: r.String(), Value: r.String()} })
}

func (d *record) write(w *wire.Writer) {
	w.Int(d.formulas)
	w.Bool(d.reached.Learned)
	w.Bool(d.reached.Converged)
	for _, v := range [...]float64{d.reached.Gradient, d.reached.Short, d.reached.Drift} {
		w.Float(v)
	}
	w.Float(d.seconds.Select)
	w.Float(d.seconds.Learn)
	for _, n := range d.quality.Counts() {
		w.Int(*n)
	}
	for _, worst := range d.quality.Worst() {
		w.Float(worst.Value)
		w.String(worst.Subgraph)
	}
	w.Float(d.pooled.AUCPR)
	w.Float(d.pooled.CalibrationError)
	w.Int(len(d.pooled.Curve))
	for _, run := range d.pooled.Curve {
		w.Float(run.P)
		w.Int(run.True)
		w.Int(run.False)
		w.Int(run.Bin)
	}
	w.Int(len(d.figures))
	for i := range d.figures {
		w.Int(d.tested[i])
		d.figures[i].Write(w)
	}
}

func readRecord(r *wire.Reader) *record {
	d := &record{
		formulas: r.Int(), reached: Reached{r.Bool(), r.Bool(), r.Float(), r.Float(), r.Float()},
		seconds: Seconds{r.Float(), r.Float()},
	}
	for _, n := range d.quality.Counts() {
		*n = r.Int()
	}
	for _, worst := range d.quality.Worst() {
		worst.Value, worst.Subgraph = r.Float(), r.String()
	}
	d.pooled = resolwe.Pooled{AUCPR: r.Float(), CalibrationError: r.Float()}
	d.pooled.Curve = wire.List(r, 32, func() rank.Run {
		run := rank.Run{P: r.Float(), True: r.Int(), False: r.Int(), Bin: r.Int()}
		r.Refuse(run.Bin >= rank.CalibrationBins)
		return run
	})
	d.figures = wire.List(r, 8+rank.FiguresBytes, func() resolwe.Figures {
		d.tested = append(d.tested, r.Int())
		return rank.ReadFigures(r)
	})
	return d
}
