package tableinit

// WordsOf and PlainName are for tests.
var (
	WordsOf   = wordsOf
	PlainName = plainName
)

// Sketch is for tests.
type Sketch = sketch

// Add adds a value.
func (s *sketch) Add(text string, whole int64) { s.add(hashOf([]byte(text)), whole) }

// Distinct, Unique, Within and Density are for tests.
func (s *sketch) Distinct() float64            { return s.distinct() }
func (s *sketch) Unique() bool                 { return s.unique() }
func (s *sketch) Within(t *sketch) float64     { return s.within(t) }
func (s *sketch) Density(lo, hi int64) float64 { return s.density(lo, hi) }

// Judge says what a column of cells holds, how it is read, and why.
func Judge(name string, cells ...string) (function, form, why string, isTime, isText bool) {
	c := &column{profile: newProfile(), table: new(tabular), words: wordsOf(name)}
	for _, cell := range cells {
		c.add([]byte(cell))
	}
	c.settle()
	return c.function, c.form, c.why, c.kind == kindTime, c.kind == kindText
}
