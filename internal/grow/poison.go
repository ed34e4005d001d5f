//go:build poison

package grow

import (
	"math"
	"reflect"
	"unsafe"
)

// spoil overwrites elements whose contents are arbitrary, so that a test notices who reads them: floating-point numbers are NaN, integers
// far from 0, booleans true. What is behind slices and pointers stays, as its memory is reused.
func spoil[T any](s []T) {
	if len(s) == 0 {
		return
	}
	if holdsPointers(reflect.TypeFor[T]()) {
		for i := range s {
			spoilValue(reflect.ValueOf(&s[i]).Elem())
		}
		return
	}
	spoilValue(reflect.ValueOf(&s[0]).Elem())
	for n := 1; n < len(s); n *= 2 {
		copy(s[n:], s[:n])
	}
}

func spoilValue(v reflect.Value) {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		v.SetFloat(math.NaN())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(math.MinInt64 >> (64 - v.Type().Bits()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint((math.MaxUint64 - 1) >> (64 - v.Type().Bits()) &^ 1) // the largest is often a mark
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Array:
		for i := range v.Len() {
			spoilValue(v.Index(i))
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			spoilValue(reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()) // it may be unexported
		}
	}
}

// holdsPointers reports whether values of a type contain pointers.
func holdsPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return holdsPointers(t.Elem())
	case reflect.Struct:
		for field := range t.Fields() {
			if holdsPointers(field.Type) {
				return true
			}
		}
		return false
	}
	return t.Kind() > reflect.Complex128
}
