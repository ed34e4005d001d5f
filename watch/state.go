package watch

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"resolwe"
	"resolwe/format/checkpoint"
	"resolwe/format/subgraph"
	"resolwe/kernels/watch"
)

var form = checkpoint.Form{Magic: "\x93RSWWA\r\n", Version: "\x01\x00\x00\x00", Stage: "watching"}

// saved is a checkpoint: package wire writes the properties of the run, then this, encoded by package gob, as one string.
type saved struct {
	Columns string // a model of the columns, without weights
	Marks   []int64
	State   state
}

// properties lists what the results depend on, except the stream.
func (w *watcher) properties() []checkpoint.Property {
	h := sha256.New()
	_ = w.task.Write(h, nil) // checked at the beginning
	o := w.opt
	return []checkpoint.Property{
		checkpoint.Depends("the model", hex.EncodeToString(h.Sum(nil)[:16]), ""),
		checkpoint.Depends("--start", o.Start, "watch.Options.Start"),
		checkpoint.Depends("--block", o.Block, "watch.Options.Block"),
		checkpoint.Depends("--horizons", o.Horizons, "watch.Options.Horizons"),
		checkpoint.Depends("--alarm", o.Alarm, "watch.Options.Alarm"),
		checkpoint.Depends("--margin", o.Margin, "watch.Options.Margin"),
		checkpoint.Depends("--delay", fmt.Sprint(o.Delay, o.Wait), "watch.Options.Delay"),
		checkpoint.Depends("--adapt", int(o.Adapt), "watch.Options.Adapt"),
		checkpoint.Depends("--sigma", o.Sigma, "watch.Options.Sigma"),
		checkpoint.Depends("--seed", o.Select.Gain.Seed, "watch.Options.Select"),
	}
}

// checkpoint saves the run if that is due.
func (w *watcher) checkpoint() error {
	c := &w.opt.Checkpoints
	if c.Save == nil || c.Due == nil || !c.Due() {
		return nil
	}
	for _, p := range w.state.Waiting {
		if err := w.refresh(p); err != nil {
			return err
		}
	}
	for _, a := range w.state.Awaited {
		if err := w.recolumn(a); err != nil {
			return err
		}
	}
	w.state.Known = w.labels.List()
	out := saved{State: w.state}
	if w.opt.Mark != nil {
		var err error
		if out.Marks, err = w.opt.Mark(); err != nil {
			return err
		}
	}
	var text, data bytes.Buffer
	if err := w.task.With(w.columns).Write(&text, nil); err != nil {
		return err
	}
	out.Columns = text.String()
	if err := gob.NewEncoder(&data).Encode(&out); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	b := form.New(w.properties())
	b.String(data.String())
	return c.Save(b.Sealed())
}

// resume continues from the checkpoint in the options, if any.
func (w *watcher) resume() error {
	if w.opt.Checkpoints.Resume == nil {
		return nil
	}
	r, err := form.Open(w.opt.Checkpoints.Resume, w.properties())
	if err != nil {
		return err
	}
	var in saved
	data := r.String()
	if !r.Done() || gob.NewDecoder(bytes.NewReader([]byte(data))).Decode(&in) != nil {
		return checkpoint.ErrDamaged
	}
	m, err := resolwe.ParseModel("checkpoint", []byte(in.Columns), resolwe.ModelOptions{})
	if err != nil || len(m.Schema.Predicates) != len(w.task.Schema.Predicates) {
		return checkpoint.ErrDamaged
	}
	w.columns, w.state = slices.Clone(m.Formulas), in.State
	if !w.sound() {
		return checkpoint.ErrDamaged
	}
	w.labels = watch.NewLabels(mostLabels, w.state.Known)
	w.compile()
	for _, a := range w.state.Awaited {
		w.expect(a)
	}
	w.resumed, w.marks, w.before = true, in.Marks, w.state.Read
	w.state.Read, w.state.Latest = checkpoint.Records{}, subgraph.Time{}
	return nil
}

// read notes a subgraph. The error is a *resolwe.OptionError if truth takes time and the subgraph's time is unknown or earlier than that of
// the one before it.
func (w *watcher) read(it *item) error {
	s, name, t := &w.state, it.sub.Name, it.sub.Time
	if w.opt.Wait > 0 && !it.sub.Later {
		if !t.Known {
			return &resolwe.OptionError{Option: "watch.Options.Delay", Reason: fmt.Sprintf("subgraph %s has no time: give the delay as a number of subgraphs", subgraph.Shown(name))}
		}
		if err := resolwe.InTime([]resolwe.Entry{{Time: cmp.Or(s.Latest, t)}, {Name: name, Time: t}}, "watch.Options.Delay"); err != nil {
			return err
		}
	}
	s.Read.Add(it.index, name, it.sub.Fold, t, "")
	if w.last = it.index; !it.sub.Later {
		s.Latest = t
	}
	return nil
}

// verify ends the part of the stream that the checkpoint covers, and has the outputs continue from it. The error is a
// *resolwe.CheckpointError if the subgraphs of that part were others.
func (w *watcher) verify() error {
	if !w.resumed {
		return nil
	}
	w.resumed = false
	if w.last != w.from-1 || len(w.wanted) > 0 || w.before != (checkpoint.Records{}) && w.before != w.state.Read {
		return checkpoint.Differs("the stream")
	}
	if w.opt.Rewind == nil {
		return nil
	}
	return w.opt.Rewind(w.marks)
}

// sound reports whether the state is one that a run could write.
func (w *watcher) sound() bool {
	s, k := &w.state, len(w.columns)
	n := len(w.opt.Horizons) + 1
	if s.Later.Records < 0 || !s.fits(n, len(w.task.Schema.Predicates)) {
		return false
	}
	models := append([][]float64{s.Published, s.Frozen, s.Candidate}, s.Retired...)
	for _, e := range s.Experts {
		if e == nil || len(e.Weights) == 0 || len(e.Weights) != len(s.Experts[0].Weights) || len(e.Precision) != len(e.Weights)*len(e.Weights) {
			return false
		}
		models = append(models, e.Weights)
	}
	ahead := func(place int) bool { return place < 0 || place >= s.Next }
	wrong := func(p *pending) bool {
		return p == nil || p.Layout != s.Layout || !p.sound(n, k, len(s.Base)) || slices.ContainsFunc(p.Places, ahead)
	}
	wrongly := func(a *awaited) bool {
		return a == nil || a.Layout != s.Layout || !a.sound(n, k, len(s.Base)) || slices.ContainsFunc(a.Places, ahead)
	}
	return !slices.ContainsFunc(s.Waiting, wrong) && !slices.ContainsFunc(s.Awaited, wrongly) && !slices.ContainsFunc(models, func(m []float64) bool { return len(m) > k }) &&
		!slices.ContainsFunc(s.Chosen, func(c int) bool { return c < 0 || c >= len(s.Candidate) }) &&
		!slices.ContainsFunc(s.Sample, func(x sampled) bool { return ahead(x.Place) })
}

// fits reports whether a state has the parts that numbers of experts and targets need.
func (s *state) fits(experts, targets int) bool {
	return s.Model >= 1 && s.Next >= 0 && s.Detector != nil && len(s.Detector.Slots) == experts+mostRetired+1 && len(s.Experts) == experts && len(s.Shares) == experts &&
		len(s.Retired) <= mostRetired && len(s.Base) == targets && len(s.Last) == labelStates*targets && (s.Candidate == nil) == (s.Evidence == nil)
}

// sound reports whether a pending block fits the numbers of columns, targets and experts.
func (p *pending) sound(experts, columns, targets int) bool {
	n := len(p.Places)
	wrong := func(list []float64) bool { return len(list) != n }
	return n > 0 && p.Block != nil && p.Block.Sound(columns, targets) && len(p.Block.Members) == n &&
		p.Last != nil && p.Last.Sound(0, labelStates*targets) && (p.Line == nil || len(p.Losses) == experts && !slices.ContainsFunc(p.Losses, wrong) && len(p.Excess) == experts+mostRetired+1 &&
		!slices.ContainsFunc(p.Excess, func(list []float64) bool { return list != nil && wrong(list) }))
}

// sound reports whether awaited atoms fit the numbers of experts, columns and targets.
func (a *awaited) sound(experts, columns, targets int) bool {
	n := len(a.Places)
	if n == 0 || len(a.Names) != n || len(a.Keys) != n || len(a.Came) != n || len(a.Credited) != n || len(a.Rows) != n ||
		a.Block == nil || !a.Block.Sound(columns, targets) || len(a.Block.Members) != n ||
		a.Last == nil || !a.Last.Sound(0, labelStates*targets) || len(a.Last.Members) != n || !a.Issued.sound(experts, a.Last.Len()) {
		return false
	}
	for i := range n {
		if !a.soundAt(i) {
			return false
		}
	}
	return true
}

// soundAt reports whether the atoms of a subgraph have a row each, and what came of them is theirs.
func (a *awaited) soundAt(i int) bool {
	atoms, rows := len(a.Keys[i]), math.MaxInt
	if a.Issued != nil {
		rows = len(a.Issued.Systems[mixture])
	}
	return len(a.Block.Members[i].Rows) == atoms && len(a.Last.Members[i].Rows) == atoms && len(a.Rows[i]) == atoms &&
		a.Credited[i] >= 0 && a.Credited[i] <= len(a.Came[i]) && len(a.Came[i]) <= atoms &&
		!slices.ContainsFunc(a.Came[i], func(t int) bool { return t < 0 || t>>1 >= atoms }) &&
		!slices.ContainsFunc(a.Rows[i], func(row int32) bool { return row < 0 || int(row) >= rows })
}

// sound reports whether predictions, if any, are those for the same rows, with a number of last known labels.
func (p *issued) sound(experts, lasts int) bool {
	if p == nil {
		return true
	}
	rows := len(p.Systems[mixture])
	for k, list := range p.Systems {
		if k != last && len(list) != rows || k == last && len(list) != lasts {
			return false
		}
	}
	for k, list := range p.Slots {
		if len(list) != rows && (k < experts || len(list) > 0) {
			return false
		}
	}
	return len(p.Slots) == experts+mostRetired+1
}
