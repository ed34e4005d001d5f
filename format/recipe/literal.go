package recipe

import (
	"math"
	"strconv"
	"time"

	"resolwe/format/table"
	"resolwe/internal/isotime"
)

// typeTerm sets a term's type. A number compared with a value is a value, with an entity its name; a quoted date compared with a day or
// time is a value.
func (f *inference) typeTerm(t *Term, typ Type) {
	t.Type = typ
	entity := typ.Kind == table.KindEntity
	switch {
	case t.AsOf:
		if typ.Kind != table.KindDay && typ.Kind != table.KindTime {
			f.fail(t.Pos, "@asof is a day or time, not of type %s", f.recipe.TypeName(typ))
		}
	case t.Kind == number && entity:
		t.Kind = TermEntity
	case t.Kind == number:
		f.value(t)
	case t.Kind == TermEntity && (typ.Kind == table.KindDay || typ.Kind == table.KindTime):
		t.Kind = TermValue
		if n, ok := parseDate(t.Name, typ.Kind, f.recipe.Zone); ok {
			t.Int = n
			return
		}
		f.fail(t.Pos, "%s is not a %s: write it %s", strconv.Quote(t.Name), f.recipe.TypeName(typ), dateForms[typ.Kind])
	case t.Kind == TermEntity && !entity:
		f.fail(t.Pos, "%s is an entity's name, where a number of type %s belongs", strconv.Quote(t.Name), f.recipe.TypeName(typ))
	}
}

// dateForms are the forms of days and times.
var dateForms = map[table.Kind]string{
	table.KindDay: `in quotes, as in "2016-01-31"`, table.KindTime: `in quotes, as in "2016-01-31" or "2016-01-31T19:30:12Z"`,
}

// parseDate reads a day or a time, of a zone if it states no offset. A date with a time is not accepted as a day: the time would be lost.
func parseDate(text string, kind table.Kind, zone *time.Location) (int64, bool) {
	if len(text) < len(time.DateOnly) || text[4] != '-' || kind == table.KindDay && len(text) > len(time.DateOnly) {
		return 0, false
	}
	if kind == table.KindDay {
		return isotime.FormISO.ParseDay([]byte(text))
	}
	return (&isotime.Reader{Zone: zone}).Time([]byte(text))
}

// value reads a number as a value of the term's type.
func (f *inference) value(t *Term) {
	t.Kind = TermValue
	var err error
	switch t.Type.Kind {
	case table.KindFloat:
		t.Float, err = strconv.ParseFloat(t.Name, 64)
		if err != nil || math.IsInf(t.Float, 0) {
			f.fail(t.Pos, "%s is out of range", t.Name)
		}
	case table.KindDay, table.KindTime:
		f.fail(t.Pos, "%s is a number, where a %s belongs: write it %s", t.Name, f.recipe.TypeName(t.Type), dateForms[t.Type.Kind])
	case table.KindInt, table.KindEntity:
		if t.Int, err = strconv.ParseInt(t.Name, 10, 64); err != nil {
			f.fail(t.Pos, "%s is not a whole number of 64 bits, as type %s has them", t.Name, f.recipe.TypeName(t.Type))
		}
	}
}
