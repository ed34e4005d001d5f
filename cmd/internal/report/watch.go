package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"resolwe/internal/printable"
	"resolwe/internal/render"
	"resolwe/watch"
)

// WatchLine prints the figures of a block, in columns below a header or as JSON.
func WatchLine(w io.Writer, l *watch.Line, asJSON, header bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(render.Object{
			"block", l.Block, "first", l.First, "subgraphs", l.Subgraphs, "later", l.Later, "atoms", l.Atoms, "ranked", l.Ranked,
			"systems", watchSystems(&l.Figures), "shares", l.Shares, "ln_m", l.LogM, "model", l.Model,
		})
	}
	if header {
		if _, err := fmt.Fprintf(w, "%7s %9s %6s %9s %9s %9s %9s %9s %9s %7s %7s %6s\n",
			"block", "subgraphs", "atoms", "watch", "published", "frozen", "all", "base", "last", "MAP", "ln M", "model"); err != nil {
			return err
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%7d %9d %6d", l.Block, l.First+l.Subgraphs, l.Atoms)
	for _, f := range l.Figures {
		fmt.Fprintf(&b, " %9s", render.Number(f.CLL).Text('f', 5))
	}
	fmt.Fprintf(&b, " %7v %7.2f %6d\n", render.Number(l.Figures[0].MAP), l.LogM, l.Model)
	_, err := io.WriteString(w, b.String())
	return err
}

// watchSystems returns the figures by system.
func watchSystems(figures *[len(watch.Systems)]watch.Figures) (out render.Object) {
	for k, f := range figures {
		out = append(out, watch.Systems[k], render.Object{"cll", f.CLL, "calibration_error", f.Calibration, "map", f.MAP, "auc_roc", f.AUC})
	}
	return out
}

// WatchCurve writes the figures of a block as a row of CSV, with a header before the first row.
func WatchCurve(w io.Writer, l *watch.Line) error {
	line, end := render.Lines(w)
	if l.Block == 1 && l.Later == 0 {
		header := make([]any, 0, 9+4*len(l.Figures)+len(l.Shares))
		header = append(header, "block", "first", "subgraphs", "atoms", "ranked")
		for _, s := range watch.Systems {
			header = append(header, s+"_cll", s+"_map", s+"_auc", s+"_calibration")
		}
		for i := range l.Shares {
			header = append(header, fmt.Sprint("share_", i+1))
		}
		line(append(header, "ln_m", "model", "alarms", "weights")...)
	}
	row := []any{l.Block, l.First, l.Subgraphs, l.Atoms, l.Ranked}
	for _, f := range l.Figures {
		row = append(row, f.CLL, f.MAP, f.AUC, f.Calibration)
	}
	for _, v := range l.Shares {
		row = append(row, v)
	}
	weights, err := json.Marshal(l.Weights)
	if err != nil {
		return err
	}
	line(append(row, strconv.FormatFloat(l.LogM, 'g', -1, 64), l.Model, l.Alarms, string(weights))...) // which may be infinite
	return end()
}

// WatchEvent describes an event in words.
func WatchEvent(v *watch.Event) string {
	switch v.Event {
	case "start":
		return fmt.Sprintf("model %d is in use from subgraph %d on", v.Model, v.Subgraph+1)
	case "alarm":
		return fmt.Sprintf("alarm at subgraph %d: %s predicts better than model %d, from about subgraph %d on", v.Subgraph+1, v.Challenger, v.Model, v.Began+1)
	case "challenger":
		return fmt.Sprintf("a challenger of model %d begins at subgraph %d", v.Model, v.Subgraph+1)
	}
	return fmt.Sprintf("model %d takes over after subgraph %d", v.Model, v.Subgraph+1)
}

// WatchSummary prints the summary of the run.
func WatchSummary(w io.Writer, s *watch.Summary, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(render.Object{
			"subgraphs", s.Subgraphs, "atoms", s.Atoms, "ranked", s.Ranked, "systems", watchSystems(&s.Figures),
			"alarms", s.Alarms, "takeovers", s.Takeovers, "model", s.Model,
			"later",
			render.Object{"records", s.Later.Records, "ignored", s.Later.Ignored, "given_up", s.Later.GivenUp},
		})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-10s %9s %7s %7s %11s\n", "", "CLL", "MAP", "AUC", "calibration")
	for k, f := range s.Figures {
		fmt.Fprintf(&b, "%-10s %9s %7v %7v %11v\n", watch.Systems[k], render.Number(f.CLL).Text('f', 5), render.Number(f.MAP), render.Number(f.AUC), render.Number(f.Calibration))
	}
	fmt.Fprintf(&b, "%s, %s; alarms: %d, takeovers: %d; model %d is in use\n", printable.Count(s.Subgraphs, "subgraph"), printable.Count(s.Atoms, "atom"), s.Alarms, s.Takeovers, s.Model)
	if s.Alarms == 0 {
		b.WriteString("no other model was shown to be better by more than the margin\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
