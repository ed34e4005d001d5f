package report

import (
	"io"
	"reflect"
	"regexp"
	"strings"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/internal/render"
)

// WriteJSON writes what the page says, with the same figures, as JSON: the fields of [Content] in lower case with underscores, phrases
// and formulas as texts, and null for what is undefined.
func (r *Report) WriteJSON(w io.Writer) error {
	return (&render.Document{Data: inJSON(reflect.ValueOf(*r.Content()))}).JSON(w)
}

var checkStates = map[CheckState]string{CheckLook: "look", CheckOpen: "open", CheckPassed: "passed"}

// inJSON returns a value of a content as JSON has it.
func inJSON(v reflect.Value) any {
	switch x := v.Interface().(type) {
	case render.Phrase:
		return x.String()
	case *mln.Formula:
		return mln.FormatFormula(x)
	case resolwe.Time:
		if !x.Known {
			return render.Null
		}
		return x.String()
	case CheckState:
		return checkStates[x]
	case float64:
		return render.Number(x)
	}
	switch v.Kind() { //nolint:exhaustive // a content has no others
	case reflect.Pointer:
		if v.IsNil() {
			return render.Null
		}
		return inJSON(v.Elem())
	case reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = inJSON(v.Index(i))
		}
		return list
	case reflect.Struct:
		out := render.Object{}
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if !field.IsExported() {
				continue
			}
			value, name := inJSON(v.Field(i)), underscored(field.Name)
			if fields, is := value.(render.Object); is && field.Anonymous {
				out = append(out, fields...)
			} else {
				out = append(out, name, value)
			}
		}
		return out
	}
	return v.Interface()
}

var inner = regexp.MustCompile(`([a-z])([A-Z])`)

// underscored returns the name of a field in lower case, its words joined by underscores.
func underscored(name string) string {
	return strings.ToLower(inner.ReplaceAllString(name, "${1}_$2"))
}
