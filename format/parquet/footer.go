package parquet

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"math"
)

const (
	magic      = "PAR1"
	sealed     = "PARE" // of files whose footer is encrypted
	footerTail = 8      // the footer's length and the magic
	maxFooter  = 64 << 20
	maxColumns = 1 << 16
	maxGroups  = 1000 // within each other
	groupBytes = 32   // of a row group, while their list grows
)

var (
	errNoParquet = errors.New("not a Parquet file")
	errFooter    = errors.New("the footer is invalid")
	errNested    = errors.New("groups are nested more than 1,000 deep")
	errType      = errors.New("a column has a type that there is not")
	errRows      = errors.New("the number of rows is not that of the footer")
)

// Types of values in a file.
const (
	typeBoolean = iota
	typeInt32
	typeInt64
	typeInt96
	typeFloat
	typeDouble
	typeBytes
	typeFixed
	types
)

// Sets of types, as bits.
const (
	anyType  = 1<<types - 1
	anyInt   = 1<<typeInt32 | 1<<typeInt64
	anyBytes = 1<<typeBytes | 1<<typeFixed
)

const (
	optional = 1
	repeated = 2
)

// group is a row group.
type group struct {
	rows int64
	at   int64 // of its description in the footer
}

// chunk is where the values of a column of a row group are.
type chunk struct {
	physical, codec                int64
	values, size, data, dictionary int64
	elsewhere, encrypted           bool
}

// loadFooter finds the footer at the end of the file, and loads it. Nothing of a file is believed that it cannot hold.
func (f *File) loadFooter() error {
	var tail [footerTail]byte
	if f.size < 2*footerTail {
		return io.ErrUnexpectedEOF
	}
	if _, err := f.in.ReadAt(tail[:], f.size-footerTail); err != nil {
		return err
	}
	switch string(tail[4:]) {
	case sealed:
		return &RefusedError{What: "the file is encrypted"}
	case magic:
	default:
		return errNoParquet
	}
	length := int64(binary.LittleEndian.Uint32(tail[:4]))
	f.end = f.size - footerTail - length
	if f.end < int64(len(magic)) {
		return errFooter
	}
	if length > maxFooter {
		return &RefusedError{What: "the footer takes more than 64 MiB"}
	}
	footer, err := f.room(nil, int(length))
	if err != nil {
		return err
	}
	f.footer = footer[:length]
	_, err = f.in.ReadAt(f.footer, f.end)
	return err
}

// readFooter reads the schema and the row groups.
func (f *File) readFooter() error {
	err := f.loadFooter()
	if err != nil {
		return err
	}
	rows := int64(-1)
	t := f.footerAt(0)
	t.fields(func(id int64, k kind) bool {
		switch {
		case id == 2 && k == kindList && f.columns == nil:
			err = f.readSchema(t)
		case id == 3 && k == kindI64:
			rows = t.number()
		case id == 4 && k == kindList && f.groups == nil:
			t.list(func(kind) {
				g := group{at: int64(len(f.footer)) - t.left}
				if g.rows = readGroup(t, nil); g.rows < 0 {
					t.fail(errFooter)
				}
				if err = cmp.Or(err, f.hold(groupBytes)); err != nil {
					t.fail(err)
					return
				}
				f.groups = append(f.groups, g)
			})
		default:
			return false
		}
		return true
	})
	switch {
	case err != nil:
		return err
	case t.err != nil:
		return errFooter
	}
	sum := int64(0)
	for _, g := range f.groups {
		if g.rows > math.MaxInt64-sum {
			return errRows
		}
		sum += g.rows
	}
	if rows != sum && rows != 0 { // some writers leave it to the row groups
		return errRows
	}
	return nil
}

// footerAt reads on from a place in the footer.
func (f *File) footerAt(at int64) *thrift {
	return &thrift{in: bufio.NewReader(bytes.NewReader(f.footer[at:])), left: int64(len(f.footer)) - at}
}

// element is a node of the schema.
type element struct {
	name                         string
	physical, width, repetition  int64
	children, converted, logical int64
	scale, precision             int64
	unit                         int64 // of times
	unsigned                     bool
}

// readSchema finds the columns, which are the nodes on the top level.
func (f *File) readSchema(t *thrift) (err error) {
	var open []int64 // children that are still to come, by depth
	t.list(func(kind) {
		e := readElement(t)
		for len(open) > 0 && open[len(open)-1] == 0 {
			open = open[:len(open)-1]
		}
		switch {
		case err != nil || t.err != nil:
			return
		case e.children < 0 || len(open) == 0 && f.columns != nil:
			err = errFooter
			return
		case len(open) > maxGroups:
			err = errNested
			return
		case len(open) == 1 && len(f.columns) == maxColumns:
			err = &RefusedError{What: "there are more than 65,536 columns"}
			return
		case len(open) == 0: // the root
			f.columns, open = []column{}, append(open, e.children)
			return
		}
		open[len(open)-1]--
		if len(open) == 1 {
			c := column{name: e.name, leaf: f.chunks}
			err = c.settle(&e)
			f.columns = append(f.columns, c)
		}
		if e.children > 0 {
			open = append(open, e.children)
		} else if e.physical >= 0 {
			f.chunks++
		}
	})
	for _, n := range open {
		if n > 0 && err == nil {
			err = errFooter
		}
	}
	return err
}

func readElement(t *thrift) element {
	e := element{physical: -1, converted: -1}
	t.fields(func(id int64, k kind) bool {
		numbers := [...]*int64{1: &e.physical, 2: &e.width, 3: &e.repetition, 5: &e.children, 6: &e.converted, 7: &e.scale, 8: &e.precision}
		switch {
		case id == 4 && k == kindBinary:
			e.name = t.text()
		case id == 10 && k == kindStruct:
			e.readLogical(t)
		case id > 0 && id < int64(len(numbers)) && numbers[id] != nil && k == kindI32:
			*numbers[id] = t.number()
		default:
			return false
		}
		return true
	})
	return e
}

// readLogical reads the union of logical types.
func (e *element) readLogical(t *thrift) {
	t.fields(func(which int64, k kind) bool {
		e.logical = which
		if k != kindStruct {
			return false
		}
		t.fields(func(id int64, k kind) bool {
			switch {
			case which == logicalDecimal && id == 1 && k == kindI32:
				e.scale = t.number()
			case which == logicalDecimal && id == 2 && k == kindI32:
				e.precision = t.number()
			case which == logicalInteger && id == 2:
				e.unsigned = k == kindFalse
				return k == kindTrue || k == kindFalse
			case (which == logicalTime || which == logicalTimestamp) && id == 2 && k == kindStruct:
				t.fields(func(unit int64, _ kind) bool {
					e.unit = unit
					return false
				})
			default:
				return false
			}
			return true
		})
		return true
	})
}

// readGroup reads the description of a row group, and returns its number of rows. Where each is not nil it is told the chunks.
func readGroup(t *thrift, each func(*chunk)) (rows int64) {
	rows = -1
	t.fields(func(id int64, k kind) bool {
		switch {
		case id == 1 && k == kindList && each != nil:
			t.list(func(kind) {
				c := readChunk(t)
				each(&c)
			})
		case id == 3 && k == kindI64:
			rows = t.number()
		default:
			return false
		}
		return true
	})
	return rows
}

func readChunk(t *thrift) chunk {
	c := chunk{physical: -1, values: -1}
	t.fields(func(id int64, k kind) bool {
		switch {
		case id == 1 && k == kindBinary:
			n := t.size()
			c.elsewhere = n > 0
			t.discard(n)
		case id == 3 && k == kindStruct:
			c.readPlaces(t)
		case id == 8 || id == 9:
			c.encrypted = true
			return false
		default:
			return false
		}
		return true
	})
	return c
}

func (c *chunk) readPlaces(t *thrift) {
	numbers := [...]*int64{1: &c.physical, 4: &c.codec, 5: &c.values, 7: &c.size, 9: &c.data, 11: &c.dictionary}
	t.fields(func(id int64, k kind) bool {
		if id <= 0 || id >= int64(len(numbers)) || numbers[id] == nil || k != kindI32 && k != kindI64 {
			return false
		}
		*numbers[id] = t.number()
		return true
	})
}
