package rsg

import (
	"slices"
	"strings"

	"resolwe/format/mln"
	"resolwe/format/origin"
)

func appendSchema(dst []byte, s *mln.Schema) []byte {
	dst = le.AppendUint32(dst, uint32(len(s.Types)))
	dst = le.AppendUint32(dst, uint32(len(s.Predicates)))
	for t := range s.Types {
		dst = appendString(dst, s.TypeText(t))
	}
	for i := range s.Predicates {
		p := &s.Predicates[i]
		dst = appendString(dst, p.Name)
		dst = le.AppendUint32(dst, uint32(p.Role))
		dst = le.AppendUint32(dst, uint32(len(p.Args)))
		for _, a := range p.Args {
			dst = le.AppendUint32(dst, uint32(a))
		}
	}
	return dst
}

func appendString(dst []byte, s string) []byte {
	return append(le.AppendUint32(dst, uint32(len(s))), s...)
}

// checkSchema checks the header of the frame that follows the file header.
func (h *frameHeader) checkSchema() error {
	if h.tag != tagSchema || h.length > 2*maxSchema {
		return damage(tagSchema, h.offset, malformed("the first frame is no schema"))
	}
	return nil
}

// schemaOf reads the schema from its frame.
func schemaOf(f *frame, d *decompressor) (schema *mln.Schema, err error) {
	if err := checkTags(f.all, tagSchema); err != nil {
		return nil, err
	}
	err = d.read(f, tagSchema, func(content []byte) (err error) {
		schema, err = parseSchema(content)
		return err
	})
	return schema, err
}

// parseSchema is the inverse of appendSchema.
func parseSchema(b []byte) (*mln.Schema, error) {
	if len(b) > maxSchema {
		return nil, malformed("schema is longer than %d bytes", maxSchema)
	}
	c := cursor{rest: b}
	types, preds := c.count(wordSize), c.count(3*wordSize)
	s := &mln.Schema{Types: make([]string, types), Predicates: make([]mln.Predicate, preds)}
	for i := range s.Types {
		name, kind := strings.CutPrefix(c.string(), mln.NumberType+" ")
		if s.Types[i] = name; kind {
			s.AddKind(i)
		}
	}
	for i := range s.Predicates {
		p := &s.Predicates[i]
		p.Name, p.Role = c.string(), mln.Role(min(c.word(), 0xff))
		p.Args = make([]int, c.count(wordSize))
		for k := range p.Args {
			p.Args[k] = int(min(c.word(), maxSchema))
		}
	}
	if c.short || len(c.rest) > 0 {
		return nil, malformed("schema does not fill its section")
	}
	return s, checkSchema(s)
}

func checkSchema(s *mln.Schema) error {
	seen := map[string]bool{}
	for _, t := range s.Types {
		if t == "" || seen[t] {
			return malformed("type %q has no name or occurs twice", t)
		}
		seen[t] = true
	}
	clear(seen)
	for i := range s.Predicates {
		p := &s.Predicates[i]
		if p.Name == "" || seen[p.Name] {
			return malformed("predicate %q has no name or occurs twice", p.Name)
		}
		seen[p.Name] = true
		bad := func(t int) bool { return t < 0 || t >= len(s.Types) }
		if len(p.Args) == 0 || slices.ContainsFunc(p.Args, bad) {
			return malformed("arguments of predicate %q", p.Name)
		}
		if p.Role != mln.RoleEvidence && !p.Role.IsTarget() {
			return malformed("role of predicate %q", p.Name)
		}
	}
	return nil
}

// checkOrigin checks the header of a frame with an origin, before more of it is read. known is the origin that the stream had before.
func (h *frameHeader) checkOrigin(known *origin.Origin) error {
	switch {
	case h.length > 2*maxOrigin:
		return damage(tagOrigin, h.offset, malformed("frame of more than %d bytes", 2*maxOrigin))
	case known != nil:
		return damage(tagOrigin, h.offset, malformed("frame is there twice"))
	}
	return nil
}

// originOf reads what a stream was made of from its frame.
func originOf(f *frame, d *decompressor) (out *origin.Origin, err error) {
	if err := checkTags(f.all, tagOrigin); err != nil {
		return nil, err
	}
	s, err := f.find(tagOrigin)
	switch {
	case err != nil:
		return nil, err
	case s.codec != codecNone || s.size > maxOrigin:
		return nil, damage(tagOrigin, s.offset, malformed("section is compressed, or takes more than %d bytes", maxOrigin))
	}
	err = d.read(f, tagOrigin, func(content []byte) (err error) {
		if out, err = origin.Parse(content); err != nil {
			err = malformed("%v", err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// cursor reads little-endian fields and remembers whether they ran out.
type cursor struct {
	rest  []byte
	short bool
}

func (c *cursor) word() uint32 {
	if len(c.rest) < wordSize {
		c.rest, c.short = nil, true
		return 0
	}
	v := le.Uint32(c.rest)
	c.rest = c.rest[wordSize:]
	return v
}

// count reads a number of items of at least size bytes each, 0 if they cannot all fit.
func (c *cursor) count(size int) int {
	n := c.word()
	if uint64(n)*uint64(size) > uint64(len(c.rest)) {
		c.rest, c.short = nil, true
		return 0
	}
	return int(n)
}

func (c *cursor) bytes(n uint32) []byte {
	if uint64(n) > uint64(len(c.rest)) {
		c.rest, c.short = nil, true
		return nil
	}
	b := c.rest[:n]
	c.rest = c.rest[n:]
	return b
}

func (c *cursor) string() string { return string(c.bytes(c.word())) }
