package tablefile

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

const (
	maxFooter  = 64 << 20 // bytes
	maxNesting = 32       // of a footer's structures
	footerTail = 8        // the footer's length and the magic
)

var (
	errNoParquet = errors.New("not a Parquet file")
	errFooter    = errors.New("the footer is invalid")
)

// checkFooter walks the footer of a Parquet file, so that no length in it is believed that its bytes cannot hold: who
// decodes it allocates first.
func checkFooter(r io.ReaderAt, size int64) error {
	var tail [footerTail]byte
	if size < 2*footerTail {
		return io.ErrUnexpectedEOF
	}
	if _, err := r.ReadAt(tail[:], size-footerTail); err != nil {
		return err
	}
	if string(tail[4:]) != "PAR1" {
		return errNoParquet
	}
	length := int64(binary.LittleEndian.Uint32(tail[:4]))
	if length > size-footerTail-4 || length > maxFooter {
		return errFooter
	}
	footer := make([]byte, length)
	if _, err := r.ReadAt(footer, size-footerTail-length); err != nil {
		return err
	}
	if passOver(new(thrift.CompactProtocol).NewReaderFromBytes(footer), thrift.STRUCT, 0) != nil {
		return errFooter
	}
	return nil
}

// passOver reads a value and forgets it.
func passOver(r thrift.BytesReader, kind thrift.Type, depth int) (err error) {
	if depth > maxNesting {
		return errFooter
	}
	switch kind {
	case thrift.TRUE, thrift.FALSE:
		_, err = r.ReadBool()
	case thrift.I8:
		_, err = r.ReadInt8()
	case thrift.I16, thrift.I32, thrift.I64:
		_, err = r.ReadInt64()
	case thrift.DOUBLE:
		_, err = r.ReadFloat64()
	case thrift.BINARY:
		_, err = r.ReadBytes() // a view
	case thrift.LIST, thrift.SET:
		var list thrift.List
		list, err = r.ReadList()
		for i := int32(0); i < list.Size && err == nil; i++ {
			err = passOver(r, list.Type, depth+1)
		}
	case thrift.STRUCT:
		for err == nil {
			var field thrift.Field
			if field, err = r.ReadField(); err != nil || field.Type == thrift.STOP {
				return err
			}
			if field.Type != thrift.TRUE && field.Type != thrift.FALSE { // which the field's head says already
				err = passOver(r, field.Type, depth+1)
			}
		}
	case thrift.STOP, thrift.MAP, thrift.UUID: // Parquet has none
		fallthrough
	default:
		err = errFooter
	}
	return err
}
