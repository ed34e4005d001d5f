package flags

import "resolwe"

// Map are the parameters of the search for the most probable state.
type Map struct {
	Method string `help:"Exact if possible, otherwise search (auto); exact and search force one method." enum:"auto,exact,search" default:"auto"`
	Sweeps int    `help:"Largest total length of all searches of a component: moves tried per atom, at least 1. More are never worse." default:"${mapsweeps}"`
	Given  bool   `help:"Condition on the target atoms that the data state; by default all are free."`
}

// Options returns the options of Map, without Run.
func (a *Map) Options(seed uint64) (resolwe.MapOptions, error) {
	methods := map[string]resolwe.MapMethod{"auto": resolwe.MapAuto, "exact": resolwe.MapExact, "search": resolwe.MapSearch}
	opt := resolwe.MapOptions{
		Method: methods[a.Method], Sweeps: Stated(a.Sweeps), Given: a.Given, Seed: seed,
	}
	return opt, opt.Validate()
}
