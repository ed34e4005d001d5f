package parquet

import "encoding/binary"

// delta are whole numbers, as differences of each from the one before.
type delta struct {
	data      []byte
	block     int // differences of a block
	minis     int // parts of a block, each of which has its own width
	left      int // numbers
	value     int64
	least     int64  // difference of the block
	widths    []byte // of the parts of the block to come
	packed    []byte // differences of the part
	width     int
	bit, part int // differences left in the part
	begun     bool
}

func newDelta(data []byte) (delta, error) {
	var d delta
	for _, n := range []*int{&d.block, &d.minis, &d.left} {
		v, size := binary.Uvarint(data)
		if size <= 0 || v > 1<<31 {
			return d, errLength
		}
		*n, data = int(v), data[size:]
	}
	first, size := binary.Varint(data)
	if size <= 0 || d.minis == 0 || d.block == 0 || d.block%(8*d.minis) != 0 {
		return d, errLength
	}
	d.value, d.data = first, data[size:]
	return d, nil
}

func (d *delta) number() (int64, error) {
	if d.left == 0 {
		return 0, errShort
	}
	d.left--
	if !d.begun {
		d.begun = true
		return d.value, nil
	}
	if d.part == 0 {
		if err := d.nextPart(); err != nil {
			return 0, err
		}
	}
	if d.bit+d.width > 8*len(d.packed) {
		return 0, errShort
	}
	d.value += d.least + int64(unpack(d.packed, d.bit, d.width))
	d.bit += d.width
	d.part--
	return d.value, nil
}

// nextPart begins a part of a block.
func (d *delta) nextPart() error {
	if len(d.widths) == 0 {
		least, size := binary.Varint(d.data)
		if size <= 0 || len(d.data)-size < d.minis {
			return errShort
		}
		d.least, d.widths, d.data = least, d.data[size:][:d.minis], d.data[size+d.minis:]
	}
	d.part, d.bit, d.width, d.widths = d.block/d.minis, 0, int(d.widths[0]), d.widths[1:]
	if d.width > 64 {
		return errLength
	}
	size := min(d.part/8*d.width, len(d.data))
	d.packed, d.data = d.data[:size:size], d.data[size:]
	return nil
}

// rest returns what follows the numbers, none of which has been read.
func (d *delta) rest() ([]byte, error) {
	ahead := *d
	for left := d.left - 1; left > 0; left -= ahead.part {
		if err := ahead.nextPart(); err != nil {
			return nil, err
		}
	}
	return ahead.data, nil
}

// numbers are whole numbers in the bytes of the file.
type numbers struct {
	delta
	value []byte
}

func (d *numbers) next() ([]byte, error) {
	n, err := d.number()
	if len(d.value) == 4 {
		binary.LittleEndian.PutUint32(d.value, uint32(n))
	} else {
		binary.LittleEndian.PutUint64(d.value, uint64(n))
	}
	return d.value, err
}

// suffixes are texts behind their lengths.
type suffixes struct {
	lengths delta
	data    []byte
}

func newSuffixes(data []byte) (*suffixes, error) {
	lengths, err := newDelta(data)
	if err != nil {
		return nil, err
	}
	data, err = lengths.rest()
	return &suffixes{lengths, data}, err
}

func (d *suffixes) next() ([]byte, error) {
	n, err := d.lengths.number()
	if err == nil && (n < 0 || n > int64(len(d.data))) {
		err = errShort
	}
	if err != nil {
		return nil, err
	}
	v := d.data[:n:n]
	d.data = d.data[n:]
	return v, nil
}

// prefixed are texts that begin as the one before.
type prefixed struct {
	prefixes delta
	suffixes *suffixes
	width    int // 0 where it varies
	value    []byte
}

func newPrefixed(data []byte, width int) (*prefixed, error) {
	prefixes, err := newDelta(data)
	if err != nil {
		return nil, err
	}
	if data, err = prefixes.rest(); err != nil {
		return nil, err
	}
	s, err := newSuffixes(data)
	return &prefixed{prefixes: prefixes, suffixes: s, width: width}, err
}

func (d *prefixed) next() ([]byte, error) {
	n, err := d.prefixes.number()
	if err == nil && (n < 0 || n > int64(len(d.value))) {
		err = errLength
	}
	if err != nil {
		return nil, err
	}
	suffix, err := d.suffixes.next()
	if err != nil {
		return nil, err
	}
	d.value = append(d.value[:n], suffix...)
	if d.width > 0 && len(d.value) != d.width {
		return nil, errLength
	}
	return d.value, nil
}
