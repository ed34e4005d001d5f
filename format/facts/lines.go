package facts

import (
	"math"
	"strconv"
	"strings"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/internal/printable"
)

// fact reads a line that states an atom.
func (r *Reader) fact() error {
	s := r.scan
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
		if _, err := r.arguments(nil, s.number); err != nil { // of any type
			return err
		}
		return s.lineEnd()
	case !ok:
		return s.unknown(at, "predicate", string(name), r.schema.PredicateNames())
	}
	decl := &r.schema.Predicates[pred]
	if truth == subgraph.Unknown && !decl.Role.IsTarget() {
		return s.fault(start, "? on %s, an evidence predicate: only atoms of target predicates can be unknown", clip(decl.Name))
	}
	n, err := r.arguments(decl.Args, s.constant)
	if err != nil {
		return err
	}
	if want := len(decl.Args); n != want {
		return s.fault(at, "%s takes %s, not %d", clip(decl.Name), printable.Count(want, "argument"), n)
	}
	if err := s.lineEnd(); err != nil {
		return err
	}
	r.statements = append(r.statements, s.mark(start))
	r.build.Add(pred, r.args, truth)
	return nil
}

// truth reads the truth mark before an atom.
func (r *Reader) truth() subgraph.Truth {
	switch {
	case r.scan.take('!'):
		return subgraph.False
	case r.scan.take('?'):
		return subgraph.Unknown
	}
	return subgraph.True
}

// arguments reads arguments after the opening bracket and returns their number. It stores the local ids of as many as there are types in
// r.args; more reads the rest.
func (r *Reader) arguments(types []int, more func() ([]byte, error)) (int, error) {
	s := r.scan
	r.args = r.args[:0]
	for n := 1; ; n++ {
		s.skip()
		if n <= len(types) {
			id, err := r.entity(types[n-1])
			if err != nil {
				return 0, err
			}
			r.args = append(r.args, id)
		} else if _, err := more(); err != nil {
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

// entity reads the name of an entity and returns its local id. It allocates a string only for a new name.
func (r *Reader) entity(typ int) (uint32, error) {
	s := r.scan
	at := s.pos
	read, number := s.constant, r.schema.IsNumber(typ)
	if number {
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
	if number {
		v, ok := mln.ParseNumber(own)
		if !ok {
			return 0, s.fault(at, "%q is no finite number", clip(own))
		}
		own = mln.FormatNumber(v)
	}
	id := r.build.Entity(typ, own)
	ids[string(name)] = id
	return id, nil
}

// entityLine reads the rest of an "@entity" line, which declares entities.
func (r *Reader) entityLine() error {
	s := r.scan
	s.skip()
	at := s.pos
	name := string(s.word())
	if name == "" {
		return s.expected("a type")
	}
	typ := r.schema.Type(name)
	if typ < 0 && r.ignored == nil {
		return s.unknown(at, "type", name, r.schema.Types)
	}
	for s.skip(); !s.end(); s.skip() {
		var err error
		if typ < 0 {
			_, err = s.number()
		} else {
			_, err = r.entity(typ)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// subgraphLine reads the rest of an "@subgraph" line, which begins a subgraph.
func (r *Reader) subgraphLine() (*header, error) {
	s, h := r.scan, &header{fold: -1}
	err := r.subgraphName(h)
	if err != nil {
		return nil, err
	}
	for s.skip(); !s.end(); s.skip() {
		at := s.pos
		key := s.word()
		if s.skip(); len(key) == 0 || !s.take('=') {
			return nil, s.fault(at, "expected center=, fold= or time=")
		}
		s.skip()
		switch {
		case string(key) == "center" && h.center == "":
			err = r.center(h)
		case string(key) == "fold" && h.fold < 0:
			err = r.fold(h)
		case string(key) == "time" && !h.time.Known:
			err = r.time(h)
		case string(key) == "center", string(key) == "fold", string(key) == "time":
			err = s.fault(at, "%s= is given twice", key)
		default:
			err = s.fault(at, "expected center=, fold= or time=, not %s=", clip(string(key)))
		}
		if err != nil {
			return nil, err
		}
	}
	return h, nil
}

// subgraphName reads the name of a subgraph, a word or quoted text. It must be unique unless repeats are allowed.
func (r *Reader) subgraphName(h *header) error {
	s := r.scan
	s.skip()
	at := s.pos
	name := s.word()
	if s.at('"') && len(name) == 0 {
		var err error
		if name, err = s.quoted(); err != nil {
			return err
		}
	}
	if len(name) == 0 || s.at('=') {
		return s.fault(at, "expected the name of the subgraph")
	}
	first, repeated := r.names[string(name)]
	if repeated && !r.repeats {
		return s.fault(at, "there is a subgraph %s already, at %v", clip(string(name)), s.position(first))
	}
	if !repeated {
		r.names[string(name)] = s.mark(at)
	}
	h.name, h.later = string(name), repeated
	return nil
}

// center reads the constant after "center=".
func (r *Reader) center(h *header) error {
	at := r.scan.pos
	name, err := r.scan.constant()
	if err != nil {
		return err
	}
	if len(name) == 0 {
		return r.scan.fault(at, "the center has an empty name")
	}
	h.center = string(name)
	return nil
}

// fold reads the number after "fold=".
func (r *Reader) fold(h *header) error {
	at := r.scan.pos
	n, err := strconv.ParseUint(string(r.scan.word()), 10, 31)
	if err != nil {
		return r.scan.fault(at, "expected a whole number from 0 to %d", math.MaxInt32)
	}
	h.fold = int(n)
	return nil
}

// time reads the date, or date and time, after "time=".
func (r *Reader) time(h *header) error {
	s := r.scan
	at := s.pos
	for s.pos < len(s.text) && (isWord(s.text[s.pos]) || strings.IndexByte("-+:.", s.text[s.pos]) >= 0) {
		s.pos++
	}
	var ok bool
	if h.time, ok = subgraph.ParseTime(string(s.text[at:s.pos])); !ok {
		return s.fault(at, "expected a date, as 2010-01-31, or with a time, as 2010-01-31T19:30:12Z")
	}
	return nil
}
