package report

import "resolwe"

// Quality is how far the marginals behind an evaluation are to be trusted.
type Quality struct {
	Subgraphs int    `json:"subgraphs"`
	Sampled   int    `json:"sampled"`
	LeftOut   int    `json:"left_out,omitempty"`
	MaxRHat   *Worst `json:"max_rhat"`
	MinESS    *Worst `json:"min_ess"`
	MaxError  *Worst `json:"max_error"`
}

// Worst is a figure with the subgraph that has it.
type Worst struct {
	Value    Number `json:"value"`
	Subgraph string `json:"subgraph"`
}

// NewQuality returns what is printed of it, nil where nothing was sampled or left out.
func NewQuality(q *resolwe.Quality) *Quality {
	if q.Sampled+q.Skipped == 0 {
		return nil
	}
	return &Quality{q.Subgraphs, q.Sampled, q.Skipped, newWorst(q.RHat), newWorst(q.ESS), newWorst(q.Error)}
}

func newWorst(w resolwe.Worst) *Worst {
	if w.Subgraph == "" {
		return nil
	}
	return &Worst{Number(w.Value), w.Subgraph}
}
