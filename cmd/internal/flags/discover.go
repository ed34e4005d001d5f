package flags

import (
	"time"

	"resolwe"
)

// Discovery are the parameters of discovery, but for the support.
type Discovery struct {
	K1       int           `help:"Subgraphs that candidates are looked for in: a sample by --seed of all that selection may see (discover)." name:"k1" default:"100" placeholder:"N"`
	Length   int           `help:"Literals of a candidate beside the head at most, 1 to 6; an open path may be closed by one more (discover)." default:"3" placeholder:"N"`
	Max      int           `help:"Candidates at most; of more, or of more than --memory has room for, those of the last length that say least of the truth are left out (discover)." default:"5000" placeholder:"N"`
	Products bool          `help:"Conjunctions too of parts that share no variable but the head's, which the rules of selection by gain make anyway (discover)."`
	Budget   time.Duration `help:"After this time no longer candidates are looked for, 0s for no limit: the result depends on the machine then (discover)." default:"0s" placeholder:"TIME"`
}

// Discovered returns the options of discovery, complete but for Run.
func (a *Discovery) Discovered(support int, seed uint64) resolwe.DiscoverOptions {
	return resolwe.DiscoverOptions{
		Subgraphs: Stated(a.K1), Length: Stated(a.Length), Support: Stated(support), Max: Stated(a.Max), Products: a.Products, Budget: a.Budget,
		Seed: seed,
	}
}

// Within are the parameters of discovery as a part of select and crossval.
type Within struct {
	Discover bool `help:"Find candidates in the declarations and the training data first, as the command discover does, beside those that the model has. --support is that of candidates too."`
	Discovery
}

// Within returns the options of discovery, nil where it is not asked for.
func (a *Within) Within(support int, seed uint64) *resolwe.DiscoverOptions {
	if !a.Discover {
		return nil
	}
	opt := a.Discovered(support, seed)
	return &opt
}
