package flags

import (
	"errors"
	"os"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// Texts makes a parser take texts as the bytes that they are, since names of files need not be UTF-8; its own mappers would put
// U+FFFD for other bytes, and so name another file. A list is separated by commas, unless the whole names a file; `\,` is a comma.
func Texts() kong.Option {
	return kong.OptionFunc(func(k *kong.Kong) error {
		return errors.Join(
			kong.KindMapper(reflect.String, kong.MapperFunc(text)).Apply(k),
			kong.TypeMapper(reflect.TypeFor[[]string](), kong.MapperFunc(list)).Apply(k),
		)
	})
}

func text(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("string")
	if err == nil {
		target.SetString(token.String())
	}
	return err
}

func list(ctx *kong.DecodeContext, target reflect.Value) error {
	var values []string
	if ctx.Value.Flag == nil {
		for _, token := range ctx.Scan.PopWhile(kong.Token.IsValue) {
			values = append(values, token.String())
		}
	} else {
		token, err := ctx.Scan.PopValue("list")
		if err != nil {
			return err
		}
		values = split(token.String())
	}
	target.Set(reflect.AppendSlice(target, reflect.ValueOf(values)))
	return nil
}

// split returns the parts of a list, or the list itself if there is a file of that name.
func split(list string) (parts []string) {
	if _, err := os.Lstat(list); err == nil {
		return []string{list}
	}
	part := ""
	for rest, more := list, true; more; {
		var before string
		before, rest, more = strings.Cut(rest, ",")
		if inner, escaped := strings.CutSuffix(before, `\`); escaped && more {
			part += inner + ","
			continue
		}
		if part += before; part != "" || more {
			parts = append(parts, part)
		}
		part = ""
	}
	return parts
}
