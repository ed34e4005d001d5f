package grow

import "reflect"

// Bytes estimates the memory of the slices in a struct, including nested structs and slices; memory behind other pointers is not
// counted.
func Bytes[T any](v *T) int { return bytes(reflect.ValueOf(v).Elem()) }

func bytes(v reflect.Value) (n int) {
	if v.Kind() == reflect.Struct {
		for _, field := range v.Fields() {
			n += bytes(field)
		}
	}
	if v.Kind() != reflect.Slice {
		return n
	}
	if nested(v.Type().Elem()) {
		for i := range v.Len() {
			n += bytes(v.Index(i))
		}
	}
	return n + v.Cap()*int(v.Type().Elem().Size())
}

// nested reports whether values of a type may contain slices.
func nested(t reflect.Type) bool {
	if t.Kind() == reflect.Struct {
		for field := range t.Fields() {
			if nested(field.Type) {
				return true
			}
		}
	}
	return t.Kind() == reflect.Slice
}
