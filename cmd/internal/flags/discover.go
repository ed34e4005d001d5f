package flags

import "resolwe"

// Discovery are the parameters of discovery, except the support.
type Discovery struct {
	K1     int `help:"Minimum number of subgraphs to search for candidates: a random sample, by --seed, of those that selection may use. It grows until it has 200 true and 200 false query atoms, or 256 MiB of facts (discover)." name:"k1" default:"100" placeholder:"N" rare:""`
	Length int `help:"Maximum number of literals of a candidate besides the head, 1 to 6; one more may close an open path (discover)." default:"3" placeholder:"N"`
	Values int `help:"Of each category of more than 12 names, make constants of the N with the most gain, if above chance (discover)." default:"20" placeholder:"N" rare:""`
	Max    int `help:"Maximum number of candidates. If there are more, or memory runs out, those of the last length with the least gain are left out (discover)." default:"5000" placeholder:"N" rare:""`
}

// Discovered returns the options of discovery, without Run.
func (a *Discovery) Discovered(support *int, seed uint64) resolwe.DiscoverOptions {
	return resolwe.DiscoverOptions{
		Subgraphs: Stated(a.K1), Length: Stated(a.Length), Support: Given(support), Max: Stated(a.Max), Values: &a.Values, Seed: seed,
	}
}

// Within are the parameters of discovery as a step of select and crossval.
type Within struct {
	Discover bool `help:"First find candidates in the declarations and the training data, as the command discover does, in addition to those in the model. --support applies to these candidates too."`
	Discovery
}

// Within returns the options of discovery, or nil if --discover is not set.
func (a *Within) Within(support *int, seed uint64) *resolwe.DiscoverOptions {
	if !a.Discover {
		return nil
	}
	opt := a.Discovered(support, seed)
	return &opt
}
