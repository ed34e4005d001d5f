package cut

// Coverage says which rules have had rows and which requirements have been met, around the centers that were cut. Rules
// that are the same for all centers are among those of the plan's.
type Coverage struct {
	Rules    []Covered // by rule of the recipe
	Requires []Covered // by requirement
}

// Covered is how far a rule or requirement has come.
type Covered uint8

// What may be known of a rule or requirement.
const (
	Untried Covered = iota // no center has come so far
	Barren                 // without rows, or not met, each time
	Fruitful
)

func newCoverage(p *RecipePlan) Coverage {
	return Coverage{make([]Covered, len(p.recipe.Rules)), make([]Covered, len(p.recipe.Requires))}
}

// note takes down how a rule or requirement has fared once more.
func note(all []Covered, i int, ok bool) {
	covered := Barren
	if ok {
		covered = Fruitful
	}
	all[i] = max(all[i], covered)
}

// Merge takes in what others have seen.
func (c *Coverage) Merge(other Coverage) {
	for i, covered := range other.Rules {
		c.Rules[i] = max(c.Rules[i], covered)
	}
	for i, covered := range other.Requires {
		c.Requires[i] = max(c.Requires[i], covered)
	}
}

// Coverage returns what is known of the rules that are the same for all centers. It is a copy.
func (p *RecipePlan) Coverage() Coverage {
	c := newCoverage(p)
	c.Merge(p.covered)
	return c
}

// Coverage returns what is known from the centers that the cutter has cut: a view, which the next [Cutter.Cut] changes.
func (c *Cutter) Coverage() Coverage { return c.covered }
