package facts

import (
	"strings"

	"resolwe/format/subgraph"
)

// atomText returns an atom as a file states it.
func atomText(predicate string, args []string) string {
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = constantText(a)
	}
	return predicate + "(" + strings.Join(names, ", ") + ")"
}

// constantText quotes a name that is not a plain one.
func constantText(name string) string {
	plain := name != "" && (isUpper(name[0]) || isDigit(name[0]))
	for i := range len(name) {
		plain = plain && isWord(name[i])
	}
	if plain {
		return name
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
}

// truthMark returns what stands before an atom of that truth.
func truthMark(t subgraph.Truth) string {
	switch t {
	case subgraph.False:
		return "!"
	case subgraph.Unknown:
		return "?"
	case subgraph.True:
	}
	return ""
}
