package naive_test

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"resolwe/format/facts"
	"resolwe/format/mln"
	"resolwe/kernels/naive"
)

// task is a model and its subgraphs.
type task struct {
	model  *mln.Model
	names  []string // of the subgraphs
	worlds []*naive.World
}

func load(model, db string) (*task, error) {
	m, err := mln.Parse("model.mln", []byte(model), mln.Options{})
	if err != nil {
		return nil, err
	}
	r, err := facts.NewReader(strings.NewReader(db), "facts.db", &m.Schema)
	if err != nil {
		return nil, err
	}
	t := &task{model: m}
	for {
		s, err := r.Next()
		if errors.Is(err, io.EOF) {
			return t, nil
		}
		if err != nil {
			return nil, err
		}
		t.names = append(t.names, s.Name)
		t.worlds = append(t.worlds, naive.NewWorld(&m.Schema, m.Constants, s))
	}
}

// mustLoad is for inputs that are part of a test.
func mustLoad(model, db string) *task {
	t, err := load(model, db)
	if err != nil {
		panic(err)
	}
	return t
}

// atomName writes an atom as the cases do.
func (t *task) atomName(a naive.Atom) string {
	return fmt.Sprintf("%s(%s)", t.model.Schema.Predicates[a.Pred].Name, strings.Join(a.Args, ", "))
}

func weights(fs []*mln.Formula) []float64 {
	out := make([]float64, len(fs))
	for i, f := range fs {
		out[i] = f.Weight
	}
	return out
}
