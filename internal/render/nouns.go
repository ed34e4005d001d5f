package render

import (
	"slices"
	"strings"
	"unicode"

	"resolwe/format/mln"
)

// Nouns are the words for the query atoms of a target, which are called cases: "loan", "loans", "went bad", "did not go bad".
type Nouns struct {
	One, Many   string
	True, False string // what one does or did
	Who         bool   // they are people
}

// Nouns returns the words for the cases of a target predicate.
func (s *Speaker) Nouns(pred int) Nouns {
	p := s.schema.Predicates[pred]
	n := s.noun(p.Args[0])
	if len(p.Args) > 1 {
		other := s.noun(p.Args[1])
		n = Nouns{One: "pair of " + article(n.One) + " and " + article(other.One), Many: "pairs of " + article(n.One) + " and " + article(other.One)}
	}
	quoted := "“" + spaced(p.Name) + "”"
	n.True, n.False = "are "+quoted, "are not "+quoted
	if w, ok := s.words[wordKey{name: p.Name}]; ok {
		yes, no, both := strings.Cut(w.Text, "|")
		n.True, n.False = strings.TrimSpace(yes), strings.TrimSpace(no)
		if !both {
			n.False = "not: " + n.True
		}
	}
	return n
}

// noun returns the words for the entities of a type; True and False are empty.
func (s *Speaker) noun(typ int) Nouns {
	name := s.schema.Types[typ]
	if w, ok := s.words[wordKey{isType: true, name: name}]; ok && w.Text != "" {
		one, many, _ := strings.Cut(w.Text, ",")
		one, many = strings.TrimSpace(one), strings.TrimSpace(many)
		if many == "" {
			many = plural(one)
		}
		return Nouns{One: one, Many: many, Who: slices.Contains(w.Flags, "who")}
	}
	one := spaced(name)
	return Nouns{One: one, Many: plural(one)}
}

// spaced returns a name as words: without underscores, with blanks before capitals, in lower case but for words of capitals.
func spaced(name string) string {
	var b strings.Builder
	var last rune
	for i, r := range name {
		switch {
		case r == '_':
			r = ' '
		case i > 0 && unicode.IsUpper(r) && unicode.IsLower(last):
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	words := strings.Fields(b.String())
	for i, w := range words {
		if w != strings.ToUpper(w) || len(w) == 1 {
			words[i] = strings.ToLower(w)
		}
	}
	return strings.Join(words, " ")
}

// irregular nouns, singular to plural.
var irregular = map[string]string{
	"person": "people", "man": "men", "woman": "women", "child": "children", "foot": "feet", "tooth": "teeth", "mouse": "mice", "goose": "geese",
	"index": "indices", "vertex": "vertices", "matrix": "matrices", "analysis": "analyses", "basis": "bases", "crisis": "crises", "diagnosis": "diagnoses",
	"thesis": "theses", "criterion": "criteria", "phenomenon": "phenomena", "series": "series", "species": "species", "sheep": "sheep", "fish": "fish",
	"aircraft": "aircraft", "staff": "staff", "life": "lives", "wife": "wives", "knife": "knives", "leaf": "leaves", "half": "halves", "shelf": "shelves",
	"hero": "heroes", "potato": "potatoes", "quiz": "quizzes", "bus": "buses", "datum": "data", "medium": "media", "alumnus": "alumni",
}

// plural returns the English plural of a noun, of which the last word counts.
func plural(noun string) string {
	at := strings.LastIndexByte(noun, ' ') + 1
	lower := strings.ToLower(noun[at:])
	ends := func(suffixes ...string) bool {
		return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(lower, s) })
	}
	switch many, ok := irregular[lower]; {
	case ok:
		return noun[:at] + many
	case ends("s", "x", "z", "ch", "sh"):
		return noun + "es"
	case ends("y") && !ends("ay", "ey", "oy", "uy") && len(lower) > 1:
		return noun[:len(noun)-1] + "ies"
	}
	return noun + "s"
}

// article returns a noun with its indefinite article, by sound.
func article(noun string) string {
	lower := strings.ToLower(noun)
	begins := func(list ...string) bool {
		return slices.ContainsFunc(list, func(s string) bool { return strings.HasPrefix(lower, s) })
	}
	switch {
	case begins("hour", "honest", "heir", "x-ray", "mri", "sms", "nfl"):
		return "an " + noun
	case begins("uni", "use", "usu", "eu", "one", "ur"):
		return "a " + noun
	case begins("a", "e", "i", "o", "u", "8", "11", "18"):
		return "an " + noun
	}
	return "a " + noun
}

// plurally returns a verb phrase of one thing as that of several: "gets weekly statements" as "get weekly statements".
func plurally(verb string) string {
	first, rest, _ := strings.Cut(verb, " ")
	switch {
	case first == "is":
		first = "are"
	case first == "was":
		first = "were"
	case first == "has":
		first = "have"
	case first == "does", first == "goes":
		first = first[:2]
	case strings.HasSuffix(first, "ss"), !strings.HasSuffix(first, "s"):
	case strings.HasSuffix(first, "ies"):
		first = first[:len(first)-3] + "y"
	case slices.ContainsFunc([]string{"ches", "shes", "sses", "xes", "zes"}, func(s string) bool { return strings.HasSuffix(first, s) }):
		first = first[:len(first)-2]
	default:
		first = first[:len(first)-1]
	}
	return strings.TrimSpace(first + " " + rest)
}

// denied returns the opposite of a verb phrase: "does not get weekly statements".
func denied(verb string) string {
	first, rest, _ := strings.Cut(verb, " ")
	switch first {
	case "is", "was", "are", "were", "can", "has been", "had been":
		return first + " not " + rest
	case "has", "had":
		if word, _, _ := strings.Cut(rest, " "); !slices.Contains([]string{"a", "an", "the", "at", "more", "fewer", "some"}, word) {
			return first + " not " + rest
		}
	}
	if strings.HasSuffix(first, "s") {
		return "does not " + plurally(verb)
	}
	return "not: " + verb
}

// wordKey is what a word is about.
type wordKey struct {
	isType bool
	name   string
	value  string // "" for the predicate itself
}

func wordsOf(schema *mln.Schema) map[wordKey]mln.Word {
	out := map[wordKey]mln.Word{}
	for _, w := range schema.Words {
		out[wordKey{w.IsType, w.Name, w.Value}] = w
	}
	return out
}
