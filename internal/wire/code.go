package wire

import "fmt"

// A Coder is a Writer, which writes fields, or a Reader, which sets them: one list of fields says how a value is written and read.
type Coder interface {
	// Code takes pointers to numbers, truth values, strings, lists of them, and values that are Coded.
	Code(fields ...any)
}

// Coded is a value that codes its fields.
type Coded interface{ Code(c Coder) }

// Code appends fields.
func (w *Writer) Code(fields ...any) {
	for _, field := range fields {
		switch f := field.(type) {
		case *int:
			w.Int(*f)
		case *int64:
			w.Uint(uint64(*f))
		case *uint64:
			w.Uint(*f)
		case *float64:
			w.Float(*f)
		case *bool:
			w.Bool(*f)
		case *string:
			w.String(*f)
		case *[]byte:
			w.String(string(*f))
		case *[]float64:
			w.Floats(*f)
		case Coded:
			f.Code(w)
		default:
			panic(fmt.Sprintf("internal/wire: a field of type %T", field))
		}
	}
}

// Code reads fields.
func (r *Reader) Code(fields ...any) {
	for _, field := range fields {
		switch f := field.(type) {
		case *int:
			*f = r.Int()
		case *int64:
			*f = int64(r.Int())
		case *uint64:
			*f = r.Uint()
		case *float64:
			*f = r.Float()
		case *bool:
			*f = r.Bool()
		case *string:
			*f = r.String()
		case *[]byte:
			*f = []byte(r.String())
		case *[]float64:
			*f = r.Floats()
		case Coded:
			f.Code(r)
		default:
			panic(fmt.Sprintf("internal/wire: a field of type %T", field))
		}
	}
}

// Items codes a list whose elements take at least size bytes.
func Items[T any](c Coder, list *[]T, size int, code func(*T)) {
	if r, reads := c.(*Reader); reads {
		*list = make([]T, r.length(size))
	} else {
		n := len(*list)
		c.Code(&n)
	}
	for i := range *list {
		code(&(*list)[i])
	}
}
