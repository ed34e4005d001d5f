package facts

import (
	"math"
	"strconv"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
)

// fact reads a line that states an atom.
func (r *Reader) fact() error {
	s := &r.scan
	start := s.pos
	truth := r.truth()
	s.skip()
	at := s.pos
	name := s.word()
	if len(name) == 0 || !isLetter(name[0]) {
		s.pos = at
		return s.expected("a fact, @subgraph or @entity")
	}
	s.skip()
	if !s.take('(') {
		return s.expected("( behind the predicate")
	}
	pred, ok := r.predicates[string(name)]
	switch {
	case !ok && r.ignored != nil:
		r.ignored[string(name)] = true
		return r.leaveOut()
	case !ok:
		return r.unknownPredicate(at, string(name))
	}
	decl := &r.schema.Predicates[pred]
	if truth == subgraph.Unknown && !decl.Role.IsTarget() {
		return &UnknownOnEvidenceError{Place: s.place(start), Predicate: decl.Name}
	}
	n, err := r.arguments(decl)
	if err != nil {
		return err
	}
	if n != len(decl.Args) {
		return &ArityError{Place: s.place(at), Predicate: decl.Name, Got: n, Want: len(decl.Args)}
	}
	if s.skip(); !s.end() {
		return s.expected("the end of the line")
	}
	r.statements = append(r.statements, s.mark(start))
	r.build.Add(pred, r.args, truth)
	return nil
}

// leaveOut passes over the arguments of a predicate behind the opening bracket, which may be of any type, and the end of the line.
func (r *Reader) leaveOut() error {
	s := &r.scan
	for {
		s.skip()
		if _, err := s.number(); err != nil {
			return err
		}
		s.skip()
		switch {
		case s.take(','):
			continue
		case !s.take(')'):
			return s.expected(", or )")
		}
		if s.skip(); !s.end() {
			return s.expected("the end of the line")
		}
		return nil
	}
}

func (r *Reader) unknownPredicate(at int, name string) error {
	names := make([]string, len(r.schema.Predicates))
	for i, p := range r.schema.Predicates {
		names[i] = p.Name
	}
	return &UnknownNameError{Place: r.scan.place(at), Kind: "predicate", Name: name, Hint: mln.Suggest(name, names)}
}

// truth reads the mark before an atom.
func (r *Reader) truth() subgraph.Truth {
	switch {
	case r.scan.take('!'):
		return subgraph.False
	case r.scan.take('?'):
		return subgraph.Unknown
	}
	return subgraph.True
}

// arguments reads the arguments of a predicate behind the opening bracket and returns how many there are. It leaves
// their local ids in r.args.
func (r *Reader) arguments(decl *mln.Predicate) (int, error) {
	s := &r.scan
	r.args = r.args[:0]
	for n := 1; ; n++ {
		s.skip()
		if n <= len(decl.Args) {
			id, err := r.entity(decl.Args[n-1])
			if err != nil {
				return 0, err
			}
			r.args = append(r.args, id)
		} else if _, err := s.constant(); err != nil {
			return 0, err
		}
		s.skip()
		switch {
		case s.take(','):
		case s.take(')'):
			return n, nil
		default:
			return 0, s.expected(", or )")
		}
	}
}

// entity reads the name of an entity and returns its local id. Only a new one makes a string of its name.
func (r *Reader) entity(typ int) (uint32, error) {
	s := &r.scan
	at := s.pos
	read := s.constant
	if typ == r.number {
		read = s.number
	}
	name, err := read()
	if err != nil {
		return 0, err
	}
	ids := r.entities[typ]
	if id, ok := ids[string(name)]; ok {
		return id, nil
	}
	own := string(name)
	if typ == r.number {
		v, ok := mln.ParseNumber(own)
		if !ok {
			return 0, &NumberError{Place: s.place(at), Name: own}
		}
		own = mln.FormatNumber(v)
	}
	id := r.build.Entity(typ, own)
	ids[string(name)] = id
	return id, nil
}

// entityLine reads a line that declares entities, behind "@entity".
func (r *Reader) entityLine() error {
	s := &r.scan
	s.skip()
	at := s.pos
	name := string(s.word())
	if name == "" {
		return s.expected("a type")
	}
	typ := r.schema.Type(name)
	switch {
	case typ < 0 && r.ignored != nil:
		for s.skip(); !s.end(); s.skip() {
			if _, err := s.number(); err != nil {
				return err
			}
		}
		return nil
	case typ < 0:
		return &UnknownNameError{Place: s.place(at), Kind: "type", Name: name, Hint: mln.Suggest(name, r.schema.Types)}
	}
	for s.skip(); !s.end(); s.skip() {
		if _, err := r.entity(typ); err != nil {
			return err
		}
	}
	return nil
}

// subgraphLine reads a line that begins a subgraph, behind "@subgraph".
func (r *Reader) subgraphLine() (*header, error) {
	name, err := r.subgraphName()
	if err != nil {
		return nil, err
	}
	s := &r.scan
	h := &header{name: name, fold: -1}
	for s.skip(); !s.end(); s.skip() {
		at := s.pos
		key := s.word()
		if s.skip(); len(key) == 0 || !s.take('=') {
			return nil, s.syntax(at, "expected center= or fold=")
		}
		s.skip()
		switch {
		case string(key) == "center" && h.center == "":
			err = r.center(h)
		case string(key) == "fold" && h.fold < 0:
			err = r.fold(h)
		case string(key) == "center", string(key) == "fold":
			err = s.syntax(at, "%s= is given twice", key)
		default:
			err = s.syntax(at, "expected center= or fold=, not %s=", clip(string(key)))
		}
		if err != nil {
			return nil, err
		}
	}
	return h, nil
}

// subgraphName reads the name of a subgraph, a word or quoted, which no earlier one may have.
func (r *Reader) subgraphName() (string, error) {
	s := &r.scan
	s.skip()
	at := s.pos
	name := s.word()
	if s.at('"') && len(name) == 0 {
		var err error
		if name, err = s.quoted(); err != nil {
			return "", err
		}
	}
	if len(name) == 0 || s.at('=') {
		return "", s.syntax(at, "expected the name of the subgraph")
	}
	if first, ok := r.names[string(name)]; ok {
		return "", &DuplicateNameError{Place: s.place(at), Name: string(name), First: s.position(first)}
	}
	r.names[string(name)] = s.mark(at)
	return string(name), nil
}

// center reads the constant behind "center=".
func (r *Reader) center(h *header) error {
	at := r.scan.pos
	name, err := r.scan.constant()
	if err != nil {
		return err
	}
	if len(name) == 0 {
		return r.scan.syntax(at, "the center has an empty name")
	}
	h.center = string(name)
	return nil
}

// fold reads the number behind "fold=".
func (r *Reader) fold(h *header) error {
	at := r.scan.pos
	n, err := strconv.ParseUint(string(r.scan.word()), 10, 31)
	if err != nil {
		return r.scan.syntax(at, "expected a whole number from 0 to %d", math.MaxInt32)
	}
	h.fold = int(n)
	return nil
}
