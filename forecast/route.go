package forecast

import (
	"resolwe"
	"resolwe/kernels/loglinear"
	"resolwe/kernels/network"
)

// Route is how inference treats a connected component of a ground network.
type Route uint8

// The routes.
const (
	RouteClosed   Route = iota + 1 // a closed form, for a single atom
	RouteExact                     // enumeration
	RouteTree                      // elimination on a junction tree
	RouteSampled                   // sampling
	RouteTooLarge                  // none, since resolwe.MethodExact can neither enumerate nor eliminate it
)

var routeNames = [...]string{
	RouteClosed: "closed form", RouteExact: "enumerated", RouteTree: "eliminated", RouteSampled: "sampled", RouteTooLarge: "too large",
}

// String returns the route in words.
func (r Route) String() string {
	if int(r) >= len(routeNames) {
		return ""
	}
	return routeNames[r]
}

// Components are the components of Least to Most atoms that take a route.
type Components struct {
	Route             Route
	Least, Most       int // number of atoms; Most is 0 for no bound
	Components, Atoms float64
	Width             int // the largest width of their junction trees; for those too large, see exact.WidthError
}

// sizeClasses are the smallest sizes of the classes in which components are counted.
var sizeClasses = [...]int{1, 2, 6, 11, 21, 100, 1000, 10_000, 100_000}

// addRoutes adds the components of the probe's network.
func (s *statistics) addRoutes(p *probe, net *network.Network) {
	s.routes = map[routeKey]Components{}
	m := &p.model
	m.BindExact(net, 1)
	p.sampler.Divide(m, &p.router)
	for c := range m.Components.Len() {
		size := len(m.Components.Atoms(c))
		key := routeKey{RouteClosed, 0}
		for key.class+1 < len(sizeClasses) && sizeClasses[key.class+1] <= size {
			key.class++
		}
		switch route := m.Route(c); {
		case size == 1:
		case route == loglinear.Enumerate:
			key.route = RouteExact
		case route == loglinear.Eliminate:
			key.route = RouteTree
		case p.sampler.Method == resolwe.MethodExact:
			key.route = RouteTooLarge
		default:
			key.route = RouteSampled
		}
		r := s.routes[key]
		r.Components++
		r.Atoms += float64(size)
		if key.route != RouteExact {
			r.Width = max(r.Width, p.router.Width(c))
		}
		s.routes[key] = r
	}
}
