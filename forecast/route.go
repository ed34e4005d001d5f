package forecast

import (
	"resolwe"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/mcsat"
)

// Route is how inference treats a connected component of a ground network.
type Route uint8

// The routes.
const (
	RouteClosed   Route = iota + 1 // a closed form, for an atom on its own
	RouteExact                     // enumeration
	RouteSampled                   // sampling
	RouteTooLarge                  // none: resolwe.MethodExact cannot enumerate it
)

var routeNames = [...]string{
	RouteClosed: "closed form", RouteExact: "enumerated", RouteSampled: "sampled", RouteTooLarge: "too large",
}

// String returns the route in words.
func (r Route) String() string {
	if int(r) >= len(routeNames) {
		return ""
	}
	return routeNames[r]
}

// Components are those of Least to Most atoms that take a route.
type Components struct {
	Route             Route
	Least, Most       int // Most is 0 for no bound
	Components, Atoms float64
}

// sizeClasses are the least sizes of components that are counted together.
var sizeClasses = [...]int{1, 2, 6, 11, 21, 100, 1000, 10_000, 100_000}

// exactLimit returns the most atoms of a component that inference enumerates.
func exactLimit(o *mcsat.Options) int {
	switch o.Method {
	case mcsat.MethodAuto:
		return o.MaxExact
	case mcsat.MethodExact:
		return loglinear.ExactLimit
	case mcsat.MethodMCSAT, mcsat.MethodGibbs:
	}
	return 1
}

// addRoutes adds the components of the probe's network.
func (s *statistics) addRoutes(p *probe) {
	s.routes = map[routeKey]Components{}
	for c := range p.components.Len() {
		size := len(p.components.Atoms(c))
		key := routeKey{RouteClosed, 0}
		for key.class+1 < len(sizeClasses) && sizeClasses[key.class+1] <= size {
			key.class++
		}
		switch {
		case size == 1:
		case size <= p.exact:
			key.route = RouteExact
		case p.method == resolwe.MethodExact:
			key.route = RouteTooLarge
		default:
			key.route = RouteSampled
			s.drawn = true
		}
		r := s.routes[key]
		r.Components++
		r.Atoms += float64(size)
		s.routes[key] = r
	}
}
