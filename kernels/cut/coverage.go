package cut

// Coverage records which rules have produced rows and which requirements were met for the centers cut so far. Rules that do not depend on
// the center are covered by the plan.
type Coverage struct {
	Rules    []Covered // by rule of the recipe
	Requires []Covered // by requirement
}

// Covered is the status of a rule or requirement.
type Covered uint8

// The statuses of a rule or requirement.
const (
	Untried Covered = iota // no center has reached it
	Barren                 // always without rows, or not met
	Fruitful
)

func newCoverage(p *RecipePlan) Coverage {
	return Coverage{make([]Covered, len(p.recipe.Rules)), make([]Covered, len(p.recipe.Requires))}
}

// note records another outcome of a rule or requirement.
func note(all []Covered, i int, ok bool) {
	covered := Barren
	if ok {
		covered = Fruitful
	}
	all[i] = max(all[i], covered)
}

// Merge adds the coverage of others.
func (c *Coverage) Merge(other Coverage) {
	for i, covered := range other.Rules {
		c.Rules[i] = max(c.Rules[i], covered)
	}
	for i, covered := range other.Requires {
		c.Requires[i] = max(c.Requires[i], covered)
	}
}

// Coverage returns the coverage of the rules that do not depend on the center. It is a copy.
func (p *RecipePlan) Coverage() Coverage {
	c := newCoverage(p)
	c.Merge(p.covered)
	return c
}

// Coverage returns the coverage from the centers that the cutter has cut: a view, which the next [Cutter.Cut] changes.
func (c *Cutter) Coverage() Coverage { return c.covered }
