package join

import (
	"slices"

	"resolwe/format/mln"
	"resolwe/format/subgraph"
	"resolwe/kernels/bitset"
	"resolwe/kernels/plan"
)

// Scratch is the memory in which one goroutine evaluates a program. Its results are borrowed: they are valid until the next Reset.
type Scratch struct {
	Prog *plan.Program
	Sub  *subgraph.Subgraph // with relations in the order of the model's schema

	// Steps counts the values bound to variables one by one. Stop, unless nil, is called at each multiple of [StopSteps]; an error ends the
	// evaluation, which must run under Counting.
	Steps int64
	Stop  func() error

	consts     []int32 // local ids of the program's constants, -1 where absent
	size       []int   // of the domains
	scans      []scan  // by node
	unions     []union // by predicate and number of tables, up to 3
	bools      []boolNode
	counts     []countNode
	tries      map[string]*columns
	walks      map[*plan.Query]*walk
	epoch      uint32
	background background
	batch      batch
	pairs      pairs
	work       Work

	live    []uint32       // tuples of a projection; only its vectors, evaluated before it, may contain others
	allowed [][]uint64     // by output: its candidates
	common  []uint32       // a list that is not a view
	boths   []intersection // by node

	words arena[uint64]
	ids   arena[uint32]
	nums  arena[int64]
	acc   []int64  // accumulator of counting products, zero between uses
	hit   []uint64 // its nonzero ids; zero between uses
	inner []Vec    // rows of the right factors of current products
}

// NewScratch returns the scratch memory of a program.
func NewScratch(p *plan.Program) *Scratch {
	n := len(p.Nodes)
	s := &Scratch{
		Prog:   p,
		consts: make([]int32, len(p.Consts)),
		size:   make([]int, len(p.Schema.Types)),
		scans:  make([]scan, n),
		unions: make([]union, 4*len(p.Schema.Predicates)),
		bools:  make([]boolNode, n),
		counts: make([]countNode, n),
		boths:  make([]intersection, n),
		tries:  map[string]*columns{},
		walks:  map[*plan.Query]*walk{},
	}
	s.background.limit, s.pairs.room, s.pairs.least = backgroundWords, tileWords, leastWidth
	s.batch.group(p)
	return s
}

// StopSteps is a number of steps that takes well under a second.
const StopSteps = 1 << 10

// Step counts a step.
func (s *Scratch) Step() {
	if s.Steps++; s.Steps%StopSteps == 0 {
		s.ask()
	}
}

func (s *Scratch) ask() {
	if s.Stop == nil {
		return
	}
	if err := s.Stop(); err != nil {
		panic(stopped{err})
	}
}

// Work returns the work done since the scratch was made.
func (s *Scratch) Work() Work { return s.work }

// Reset starts a subgraph, whose domains and relations are in the order of the program's schema. The subgraph is borrowed until the next
// Reset.
func (s *Scratch) Reset(sub *subgraph.Subgraph) {
	s.Sub = sub
	s.epoch++
	s.words.reset()
	s.ids.reset()
	s.nums.reset()
	largest := 0
	for i, d := range sub.Domains {
		s.size[i] = d.Size
		largest = max(largest, d.Size)
	}
	if len(s.acc) < largest {
		s.acc = make([]int64, largest)
		s.hit = make([]uint64, bitset.Words(largest))
	}
	for i, c := range s.Prog.Consts {
		s.consts[i] = s.resolve(c)
	}
	for _, t := range s.tries {
		t.ready = false
	}
	for i := range s.batch.groups {
		s.batch.groups[i].nodes = s.batch.groups[i].nodes[:0]
	}
	s.background.bind(s)
}

// ID returns the local id of a term other than a variable, -1 if the subgraph's domain lacks it.
func (s *Scratch) ID(t mln.Term) int32 {
	return s.resolve(plan.Const{Type: t.Type, Name: t.Name, Center: t.Kind == mln.TermCenter})
}

func (s *Scratch) resolve(c plan.Const) int32 {
	name := c.Name
	if c.Center {
		name = s.Sub.Center
		if name == "" {
			return -1
		}
	}
	d := s.Sub.Domains[c.Type]
	if d.Names == nil {
		return -1
	}
	if id, ok := d.Names.Lookup(name); ok && int(id) < d.Size {
		return int32(id)
	}
	return -1
}

// Const returns the local id of a constant, -1 if the subgraph's domain lacks it.
func (s *Scratch) Const(a plan.Arg) int32 { return s.consts[a.Const()] }

// Size returns the number of entities of a type.
func (s *Scratch) Size(typ int) int { return s.size[typ] }

// Guards reports whether the conditions on constants alone hold; if not, the conjunction has no solution.
func (s *Scratch) Guards(c *plan.Conj) bool {
	if c.Never {
		return false
	}
	for _, g := range c.Guards {
		if g.B < 0 {
			if s.consts[g.A] < 0 {
				return false
			}
			continue
		}
		if (s.name(g.A) == s.name(g.B)) == g.Differ {
			return false
		}
	}
	return true
}

// Possible reports whether the parts of a reduced query without outputs hold.
func (s *Scratch) Possible(q *plan.Query) bool {
	return s.Guards(q.Conj) && !slices.ContainsFunc(q.Scalars, func(id plan.NodeID) bool { return !s.Holds(id) })
}

func (s *Scratch) name(c int) string {
	if k := s.Prog.Consts[c]; !k.Center {
		return k.Name
	}
	return s.Sub.Center
}

// Role returns the role of a predicate.
func (s *Scratch) Role(pred int) mln.Role { return s.Prog.Schema.Predicates[pred].Role }

// arena allocates slices that are valid until it is reset, and reuses their memory.
type arena[T any] struct {
	chunks [][]T
	chunk  int
	used   int
	taken  int // elements since the reset
	size   int // of all chunks
}

func (a *arena[T]) reset() { a.chunk, a.used, a.taken = 0, 0, 0 }

// take returns n zero elements.
func (a *arena[T]) take(n int) []T {
	for a.chunk < len(a.chunks) && a.used+n > len(a.chunks[a.chunk]) {
		a.chunk++
		a.used = 0
	}
	if a.chunk == len(a.chunks) { // in proportion, so that chunks stay few and fit the needs of larger subgraphs
		chunk := make([]T, max(n+n/2, a.size/4, 1<<12))
		a.chunks = append(a.chunks, chunk)
		a.size += len(chunk)
	}
	out := a.chunks[a.chunk][a.used : a.used+n : a.used+n]
	a.used += n
	a.taken += n
	clear(out)
	return out
}
