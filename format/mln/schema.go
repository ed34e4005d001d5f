package mln

import "slices"

// Role says how a predicate takes part in prediction.
type Role uint8

// The roles of a predicate. The zero value is no role.
const (
	// RoleEvidence predicates are observed: closed world, never predicted.
	RoleEvidence Role = iota + 1
	// RoleTarget predicates are predicted; every type-consistent atom is a query atom.
	RoleTarget
	// RoleListed predicates are predicted; only the atoms that the data lists are query atoms.
	RoleListed
)

// String returns the words that declare the role in a task file, "" for evidence.
func (r Role) String() string {
	switch r {
	case RoleTarget:
		return "target"
	case RoleListed:
		return "target listed"
	case RoleEvidence:
		return ""
	}
	return "no role"
}

// IsTarget reports whether predicates of this role are predicted.
func (r Role) IsTarget() bool { return r == RoleTarget || r == RoleListed }

// Predicate is a relation over typed arguments.
type Predicate struct {
	Name string
	Args []int // types of the arguments, indices of Schema.Types
	Role Role
}

// Schema names the types and predicates of a model or a stream. Both are referred to by index.
type Schema struct {
	Types      []string
	Predicates []Predicate
}

// Type returns the index of the type of that name, -1 where there is none.
func (s *Schema) Type(name string) int { return slices.Index(s.Types, name) }

// Predicate returns the index of the predicate of that name, -1 where there is none.
func (s *Schema) Predicate(name string) int {
	return slices.IndexFunc(s.Predicates, func(p Predicate) bool { return p.Name == name })
}
