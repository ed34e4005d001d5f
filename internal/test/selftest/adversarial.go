package selftest

import (
	"context"
	_ "embed" // networks
	"fmt"
	"strings"
)

// adversarialCase is a network that samplers are known to get wrong.
type adversarialCase struct {
	name, model, db string
	far             bool // single flips hardly ever move from one mode to another
}

//go:embed adversarial.txt
var adversarialText string

// adversarial lists the adversarial cases.
func adversarial() []adversarialCase {
	texts := strings.Split(adversarialText, "\n-- ")[1:]
	out := make([]adversarialCase, len(texts))
	for i, text := range texts {
		name, text, _ := strings.Cut(text, " --\n")
		model, db, _ := strings.Cut(text, "---\n")
		name, far := strings.CutSuffix(name, "*")
		out[i] = adversarialCase{name, model, db, far}
	}
	return out
}

func (t *adversarialCase) task(context.Context) (*task, error) { return newTask(t.model, t.db) }

// unitWeights are the weights from -3 to 3 of an atom whose marginal is logistic: alone, or tied to another atom that does
// not change it.
func unitWeights(tied bool) []adversarialCase {
	var out []adversarialCase
	for w := -3; w <= 3; w++ {
		t := adversarialCase{model: fmt.Sprintf("target q(item)\n%d q(x)\n", w), db: "@entity item A"}
		if tied {
			t.model += "target r(item)\n1.2 q(x) <=> r(x)\n"
		}
		out = append(out, t)
	}
	return out
}
