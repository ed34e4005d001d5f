package parquet

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"resolwe/internal/isotime"
)

// Logical types, by their fields in the footer.
const (
	logicalString    = 1
	logicalMap       = 2
	logicalList      = 3
	logicalEnum      = 4
	logicalDecimal   = 5
	logicalDate      = 6
	logicalTime      = 7
	logicalTimestamp = 8
	logicalInteger   = 10
	logicalUnknown   = 11 // all values are null
	logicalJSON      = 12
	logicalBSON      = 13
	logicalInterval  = -1 // there is only a converted type
)

// logical is a logical type: its name, the types that its values have, as bits, their width if it is given, and how they are written.
// Others are not read, nor those without a format, which is nil also for elements that the specification does not allow.
type logical struct {
	name   string
	of     int
	width  int
	format func(e *element) format
}

var logicals = map[int64]logical{
	0:             {"", anyType &^ (1 << typeFixed), 0, plain}, // there is none
	logicalString: {"STRING", 1 << typeBytes, 0, always(asIs)}, logicalEnum: {"ENUM", 1 << typeBytes, 0, always(asIs)},
	logicalJSON: {"JSON", 1 << typeBytes, 0, always(asIs)}, logicalInteger: {"INTEGER", anyInt, 0, integer},
	logicalDecimal: {"DECIMAL", anyInt | anyBytes, 0, decimal}, logicalDate: {"DATE", 1 << typeInt32, 0, always(appendDate)},
	logicalTime: {"TIME", anyInt, 0, clock}, logicalTimestamp: {"TIMESTAMP", 1 << typeInt64, 0, timestamp},
	14: {"UUID", 1 << typeFixed, 16, always(appendUUID)}, 15: {"FLOAT16", 1 << typeFixed, 2, always(appendHalf)},
	logicalUnknown: {"", anyType, 0, always(func(_, _ []byte) []byte { return nil })},
	logicalMap:     {name: "MAP"}, logicalList: {name: "LIST"}, logicalBSON: {name: "BSON"}, 16: {name: "VARIANT"},
	17: {name: "GEOMETRY"}, 18: {name: "GEOGRAPHY"}, logicalInterval: {name: "INTERVAL"},
}

// converted are the logical types that older files state.
var converted = [...]struct {
	logical, unit int64
	unsigned      bool
}{
	{logical: logicalString},
	{logical: logicalMap},
	{logical: logicalMap},
	{logical: logicalList},
	{logical: logicalEnum},
	{logical: logicalDecimal},
	{logical: logicalDate},
	{logical: logicalTime, unit: 1},
	{logical: logicalTime, unit: 2},
	{logical: logicalTimestamp, unit: 1},
	{logical: logicalTimestamp, unit: 2},
	11: {logical: logicalInteger, unsigned: true}, 12: {logical: logicalInteger, unsigned: true}, 13: {logical: logicalInteger, unsigned: true},
	14: {logical: logicalInteger, unsigned: true}, 15: {logical: logicalInteger}, 16: {logical: logicalInteger}, 17: {logical: logicalInteger},
	18: {logical: logicalInteger}, 19: {logical: logicalJSON}, 20: {logical: logicalBSON}, 21: {logical: logicalInterval},
}

const (
	julianEpoch = 2440588 // of 1970-01-01
	maxDigits   = 76      // of a decimal
	wide        = 12      // bytes of an INT96
)

var typeNames = [...]string{"BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"}

// widths are the bytes of a value, 0 where they vary; of truth values as they are handed on.
var widths = [...]int{1, 4, 8, wide, 4, 8, 0, 0}

// format appends the text of a value, which is given in the bytes of the file. It returns nil where they are none.
type format func(dst, value []byte) []byte

// settle finds the column's type, and how its values are written or why they cannot be.
func (c *column) settle(e *element) error {
	if _, known := logicals[e.logical]; !known || e.logical == 0 { // a type of later times says nothing
		e.logical = 0
		if e.converted >= 0 && e.converted < int64(len(converted)) {
			old := converted[e.converted]
			e.logical, e.unit, e.unsigned = old.logical, old.unit, old.unsigned
		}
	}
	l := logicals[e.logical]
	switch {
	case e.children > 0:
		c.why = cmp.Or(l.name, "STRUCT")
		return nil
	case e.physical < 0 || e.physical >= types || e.physical == typeFixed && (e.width <= 0 || e.width > math.MaxInt32):
		return errType
	}
	c.physical, c.optional, c.width = int(e.physical), e.repetition == optional, widths[e.physical]
	if c.physical == typeFixed {
		c.width = int(e.width)
	}
	c.isText = e.logical == logicalString || e.logical == logicalEnum || e.logical == logicalJSON
	c.isBytes = c.isText || e.logical == 0 && c.physical == typeBytes
	if e.repetition == repeated {
		c.why = "LIST"
		return nil
	}
	if l.of&(1<<c.physical) != 0 && cmp.Or(l.width, c.width) == c.width {
		c.format = l.format(e)
	}
	if c.format == nil {
		c.why = strings.TrimPrefix(l.name+" of "+typeNames[c.physical], " of ")
	}
	return nil
}

// always is how the values of a logical type are written that has no parameters.
func always(f format) func(*element) format { return func(*element) format { return f } }

func integer(e *element) format {
	if !e.unsigned {
		return plain(e)
	}
	return func(dst, v []byte) []byte { return strconv.AppendUint(dst, unsigned(v), 10) }
}

func decimal(e *element) format {
	scale := int(e.scale)
	switch {
	case e.scale < 0 || e.scale > max(e.precision, 1) || e.precision > maxDigits:
		return nil
	case anyBytes&(1<<e.physical) != 0:
		return func(dst, v []byte) []byte { return appendDecimal(dst, bigEndian(v), scale) }
	}
	return func(dst, v []byte) []byte { return appendDecimal(dst, strconv.AppendInt(nil, signed(v), 10), scale) }
}

func timestamp(e *element) format {
	n := e.perSecond()
	if n == 0 {
		return nil
	}
	return func(dst, v []byte) []byte {
		s := isotime.FloorDiv(signed(v), n)
		return appendTime(dst, s, (signed(v)-s*n)*(1e9/n))
	}
}

func clock(e *element) format {
	n := e.perSecond()
	if n == 0 || (e.physical == typeInt32) != (e.unit == 1) {
		return nil
	}
	return func(dst, v []byte) []byte { return appendClock(dst, signed(v), n) }
}

// perSecond returns how many units of time are a second, 0 where the unit is unknown.
func (e *element) perSecond() int64 { return map[int64]int64{1: 1e3, 2: 1e6, 3: 1e9}[e.unit] }

// plain returns how values without a logical type are written.
func plain(e *element) format {
	switch e.physical {
	case typeBoolean:
		return func(dst, v []byte) []byte { return strconv.AppendBool(dst, v[0] != 0) }
	case typeInt32, typeInt64:
		return func(dst, v []byte) []byte { return strconv.AppendInt(dst, signed(v), 10) }
	case typeInt96: // nanoseconds of a day, and the Julian day
		return func(dst, v []byte) []byte {
			nanos, day := signed(v[:8]), signed(v[8:])
			if nanos < 0 || nanos >= isotime.SecondsOfDay*1e9 || day < 0 {
				return nil
			}
			return appendTime(dst, (day-julianEpoch)*isotime.SecondsOfDay, nanos)
		}
	case typeFloat:
		return func(dst, v []byte) []byte {
			return strconv.AppendFloat(dst, float64(math.Float32frombits(binary.LittleEndian.Uint32(v))), 'f', -1, 32)
		}
	case typeDouble:
		return func(dst, v []byte) []byte {
			return strconv.AppendFloat(dst, math.Float64frombits(unsigned(v)), 'f', -1, 64)
		}
	}
	return asIs
}

func asIs(_, v []byte) []byte { return v }

func unsigned(v []byte) uint64 {
	if len(v) == 4 {
		return uint64(binary.LittleEndian.Uint32(v))
	}
	return binary.LittleEndian.Uint64(v)
}

func signed(v []byte) int64 {
	if len(v) == 4 {
		return int64(int32(binary.LittleEndian.Uint32(v)))
	}
	return int64(binary.LittleEndian.Uint64(v))
}

// bigEndian returns the digits of a number in two's complement, nil where its bytes are none, or more than a decimal takes.
func bigEndian(v []byte) []byte {
	if len(v) == 0 || len(v) > maxDigits {
		return nil
	}
	n := new(big.Int).SetBytes(v)
	if v[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(v))))
	}
	return n.Append(nil, 10)
}

// appendDecimal writes digits with a point before the last ones.
func appendDecimal(dst, digits []byte, scale int) []byte {
	if len(digits) > 0 && digits[0] == '-' {
		dst, digits = append(dst, '-'), digits[1:]
	}
	if len(digits) == 0 {
		return nil
	}
	whole := len(digits) - scale
	if whole <= 0 {
		dst = append(dst, '0')
	} else {
		dst = append(dst, digits[:whole]...)
	}
	if scale == 0 {
		return dst
	}
	dst = append(dst, '.')
	for ; whole < 0; whole++ {
		dst = append(dst, '0')
	}
	return append(dst, digits[whole:]...)
}

// appendTime writes a moment, with a fraction of the second where there is one.
func appendTime(dst []byte, seconds, nanos int64) []byte {
	return time.Unix(seconds, nanos).UTC().AppendFormat(dst, time.RFC3339Nano)
}

// appendClock writes a time of the day.
func appendClock(dst []byte, n, perSecond int64) []byte {
	s := n / perSecond
	rest := n - s*perSecond
	if n < 0 {
		dst, s, rest = append(dst, '-'), -s, -rest
	}
	dst = fmt.Appendf(dst, "%02d:%02d:%02d", s/3600, s/60%60, s%60)
	if rest == 0 {
		return dst
	}
	dst = append(dst, '.')
	for perSecond /= 10; rest > 0; perSecond /= 10 {
		dst = append(dst, '0'+byte(rest/perSecond))
		rest %= perSecond
	}
	return dst
}

func appendDate(dst, v []byte) []byte {
	return time.Unix(signed(v)*isotime.SecondsOfDay, 0).UTC().AppendFormat(dst, time.DateOnly)
}

func appendHalf(dst, v []byte) []byte {
	return strconv.AppendFloat(dst, half(binary.LittleEndian.Uint16(v)), 'f', -1, 64)
}

func appendUUID(dst, v []byte) []byte {
	for i, n := range [...]int{4, 2, 2, 2, 6} {
		if i > 0 {
			dst = append(dst, '-')
		}
		dst, v = hex.AppendEncode(dst, v[:n]), v[n:]
	}
	return dst
}

// half returns a number of 16 bits.
func half(b uint16) float64 {
	exponent, fraction := int(b>>10&0x1f), float64(b&0x3ff)
	x := math.Ldexp(fraction, -24)
	switch {
	case exponent == 0x1f && fraction == 0:
		x = math.Inf(1)
	case exponent == 0x1f:
		return math.NaN()
	case exponent > 0:
		x = math.Ldexp(1024+fraction, exponent-25)
	}
	if b&0x8000 != 0 {
		return -x
	}
	return x
}
