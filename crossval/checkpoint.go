package crossval

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"resolwe"
	"resolwe/format/checkpoint"
	"resolwe/internal/stage/inferring"
	"resolwe/internal/stage/learning"
	"resolwe/internal/stage/selecting"
	"resolwe/internal/wire"
	"resolwe/kernels/rank"
)

// A checkpoint is written with package wire, with the fields of properties and of records in order. It lists the trials by fold and
// system, then the checkpoint of the discovery in progress, and ends with the pooled AUC-ROC of each trial, then the doubts of each, then
// the atoms of each, and then the model of each, which earlier versions did not have.
var form = checkpoint.Form{Magic: "\x93RSWCV", Version: "\x03\n", Stage: "a cross-validation"}

// properties lists what the results depend on.
func (r *run) properties(ctx context.Context, entries []resolwe.Entry) ([]checkpoint.Property, error) {
	task, err := learning.NewTask(r.model, r.opt.Learn)
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
	if r.opt.Forward != 0 {
		fmt.Fprintln(names, "forward")
	}
	sel, inf := r.opt.byThreshold(), &r.opt.Infer
	burnIn := "default"
	if inf.BurnIn != nil {
		burnIn = strconv.Itoa(*inf.BurnIn)
	}
	records, err := r.stream.Records(ctx)
	if err != nil {
		return nil, err
	}
	properties := task.Properties(r.size, records.String())
	if d := r.opt.Discover; d != nil {
		properties = append(properties, checkpoint.Depends("an option of discovery", d.Identity(), ""))
	}
	return slices.Concat(properties, []checkpoint.Property{
		checkpoint.Depends("--folds", len(r.folds), "crossval.Options.Folds"),
		checkpoint.Depends("--test", r.opt.Test, "crossval.Options.Test"),
		checkpoint.Depends("the stream or its folds", hex.EncodeToString(names.Sum(nil)), ""),
		checkpoint.Depends("--k2", r.opt.Select.Subgraphs, "SelectOptions.Subgraphs"),
		checkpoint.Depends("--criterion", sel.Criterion, "SelectOptions.Criterion"),
		checkpoint.Depends("--theta", *sel.Threshold, "SelectOptions.Threshold"),
		checkpoint.Depends("an option of selection by gain", gainIdentity(&sel.Gain), ""),
		checkpoint.Depends("--learn-on", int(r.opt.LearnOn), "crossval.Options.LearnOn"),
		checkpoint.Depends("--infer-method", inf.Method, "InferOptions.Method"),
		checkpoint.Depends("--samples", inf.Samples, "InferOptions.Samples"),
		checkpoint.Depends("--burn-in", burnIn, "InferOptions.BurnIn"),
		checkpoint.Depends("--chains", inf.Chains, "InferOptions.Chains"),
		checkpoint.Depends("--sweeps", inf.Sweeps, "InferOptions.Sweeps"),
		checkpoint.Depends("--error", inf.Error, "InferOptions.Error"),
		checkpoint.Depends("--given", inf.Given, "InferOptions.Given"),
		checkpoint.Depends("the seed of inference", inf.Seed, ""),
	}), nil
}

// gainIdentity represents the options of selection by gain.
func gainIdentity(o *resolwe.GainOptions) string {
	gate := "default"
	if o.Gate != nil {
		gate = fmt.Sprint(*o.Gate)
	}
	return fmt.Sprintf("{Formulas:%d Depth:%d Support:%d Shrink:%v Inner:%d Parsimony:%d Gate:%s Alone:%t Rows:%d Seed:%d All:%t}",
		o.Formulas, o.Depth, o.Support, o.Shrink, o.Inner, o.Parsimony, gate, o.Alone, o.Rows, o.Seed, o.All)
}

// save passes the finished records to the caller's Save.
func (r *run) save() error {
	if r.opt.Checkpoints.Save == nil {
		return nil
	}
	return r.opt.Checkpoints.Save(r.encode())
}

func (r *run) encode() []byte {
	w := form.New(r.identity)
	done := slices.DeleteFunc(slices.SortedFunc(maps.Keys(r.done), trial.compare), func(t trial) bool { return r.done[t].short })
	w.Int(len(done))
	for _, t := range done {
		w.Code(&t.fold, &t.system, r.done[t])
	}
	w.Code(&r.growing.fold, &r.growing.data)
	areas := make([]float64, 0, len(done))
	for _, t := range done {
		areas = append(areas, r.done[t].pooled.AUCROC)
	}
	w.Floats(areas)
	for _, t := range done {
		r.done[t].codeDoubts(w)
	}
	for _, t := range done {
		r.done[t].cases.Write(w)
	}
	for _, t := range done {
		w.Code(&r.done[t].model)
	}
	return w.Sealed()
}

func (t trial) compare(u trial) int {
	return cmp.Or(cmp.Compare(t.fold, u.fold), strings.Compare(t.system, u.system))
}

// resume adds the records of a checkpoint, or none for nil, to the existing ones. Records of systems that are not compared now are
// kept.
func (r *run) resume(data []byte) error {
	if data == nil {
		return nil
	}
	in, err := form.Open(data, r.identity)
	if err != nil {
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
		areas := in.Floats()
		in.Refuse(len(areas) != len(done))
		for i, t := range slices.SortedFunc(maps.Keys(done), trial.compare) {
			if in.Good() {
				done[t].pooled.AUCROC = areas[i]
			}
		}
	}
	if !in.Done() {
		for _, t := range slices.SortedFunc(maps.Keys(done), trial.compare) {
			done[t].codeDoubts(in)
		}
	}
	if !in.Done() {
		for _, t := range slices.SortedFunc(maps.Keys(done), trial.compare) {
			done[t].readCases(in)
		}
	}
	if !in.Done() {
		for _, t := range slices.SortedFunc(maps.Keys(done), trial.compare) {
			done[t].model, done[t].modeled = in.String(), true
		}
	}
	if !in.Done() {
		return checkpoint.ErrDamaged
	}
	maps.Copy(r.done, done)
	r.growing = found
	return nil
}

// Code writes or reads what records have had from the beginning.
func (d *record) Code(c wire.Coder) {
	c.Code(&d.formulas, &d.reached.Learned, &d.reached.Converged, &d.reached.Gradient, &d.reached.Short, &d.reached.Drift)
	c.Code(&d.seconds.Select, &d.seconds.Learn)
	for _, n := range d.quality.Counts() {
		c.Code(n)
	}
	for _, worst := range d.quality.Worst() {
		c.Code(&worst.Value, &worst.Subgraph)
	}
	c.Code(&d.pooled.AUCPR, &d.pooled.CalibrationError)
	wire.Items(c, &d.pooled.Curve, 32, func(run *rank.Run) { c.Code(&run.P, &run.True, &run.False, &run.Bin) })
	next := 0
	wire.Items(c, &d.figures, 8+rank.FiguresBytes, func(f *inferring.Figures) {
		if next == len(d.tested) {
			d.tested = append(d.tested, 0)
		}
		c.Code(&d.tested[next], f)
		next++
	})
}

// codeDoubts writes or reads the doubts.
func (d *record) codeDoubts(c wire.Coder) {
	wire.Items(c, &d.doubts, 16, func(o *selecting.Doubt) { c.Code(&o.Formula, &o.Reason) })
}

// readCases reads the atoms of the test subgraphs.
func (d *record) readCases(in *wire.Reader) {
	sizes := make([]int, len(d.figures))
	for i := range sizes {
		sizes[i] = d.figures[i].Atoms
	}
	d.cases = rank.ReadCases(in, sizes)
	of := rank.Pool(slices.Clone(d.cases.Atoms))
	d.pooled.LogLoss, d.pooled.Accuracy = of.LogLoss, of.Accuracy
}

// whole reports whether a trial has its atoms and its model, which checkpoints of earlier versions lack.
func (d *record) whole() bool {
	return d.modeled && (len(d.cases.Atoms) > 0 || !slices.ContainsFunc(d.figures, func(f inferring.Figures) bool { return f.Atoms > 0 }))
}

func readRecord(r *wire.Reader) *record {
	d := &record{}
	d.Code(r)
	r.Refuse(slices.ContainsFunc(d.pooled.Curve, func(run rank.Run) bool { return run.Bin >= rank.CalibrationBins }))
	d.pooled.AUCROC = rank.CurveAUC(d.pooled.Curve)
	return d
}
