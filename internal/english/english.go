// Package english makes plurals, articles and negations of the words for types, predicates and values.
package english

import (
	"slices"
	"strings"
	"unicode"
)

// Split returns the lower-case words of a name: OwnerUserID and owner_user-id give the same.
func Split(name string) []string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case i > 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}

// singulars are those of plurals that no ending decides, and words that only look like plurals.
var singulars = map[string]string{
	"people": "person", "children": "child", "men": "man", "women": "woman", "mice": "mouse", "feet": "foot", "teeth": "tooth", "geese": "goose",
	"indices": "index", "matrices": "matrix", "vertices": "vertex", "criteria": "criterion", "phenomena": "phenomenon",
	"analyses": "analysis", "diagnoses": "diagnosis", "prognoses": "prognosis", "hypotheses": "hypothesis", "theses": "thesis", "crises": "crisis",
	"aliases": "alias", "biases": "bias", "atlases": "atlas", "canvases": "canvas", "gases": "gas", "lenses": "lens", "quizzes": "quiz", "buses": "bus",
	"caches": "cache", "headaches": "headache", "axes": "axis", "houses": "house", "uses": "use", "causes": "cause", "clauses": "clause",
	"shelves": "shelf", "leaves": "leaf", "halves": "half", "wolves": "wolf", "thieves": "thief", "knives": "knife", "wives": "wife",
	"heroes": "hero", "echoes": "echo", "vetoes": "veto", "potatoes": "potato", "tomatoes": "tomato", "cargoes": "cargo",
	"series": "series", "species": "species", "news": "news", "trans": "trans", "lens": "lens", "atlas": "atlas", "alias": "alias", "bias": "bias",
	"canvas": "canvas", "christmas": "christmas", "chaos": "chaos", "cosmos": "cosmos", "always": "always", "plus": "plus",
}

// endsInIE are words whose plural ends as that of a word in y does.
var endsInIE = []string{
	"movie", "cookie", "zombie", "selfie", "calorie", "rookie", "genie", "brownie", "prairie", "hoodie", "smoothie", "sortie", "collie", "bookie",
	"hippie", "budgie", "birdie", "newbie", "freebie", "goalie", "foodie", "caddie", "laddie", "pixie", "veggie", "talkie", "auntie",
}

// Singular returns that of a lower-case word, or the word.
func Singular(word string) string {
	one, known := singulars[word]
	cut := func(end string, least int) bool { return len(word) > least && strings.HasSuffix(word, end) }
	stem := word[:max(0, len(word)-2)]
	switch {
	case known:
		return one
	case cut("ies", 4) && !slices.Contains(endsInIE, word[:len(word)-1]):
		return word[:len(word)-3] + "y"
	case cut("sses", 4), cut("xes", 4), cut("ches", 4), cut("shes", 4), cut("uses", 5) && !ends(stem, "aus", "ous"):
		return stem
	case cut("s", 3) && !ends(word, "ss", "us", "is"):
		return word[:len(word)-1]
	}
	return word
}

func ends(word string, of ...string) bool {
	return slices.ContainsFunc(of, func(end string) bool { return strings.HasSuffix(word, end) })
}

// Plural returns the plural of a noun, of whose words the last changes.
func Plural(noun string) string {
	before, last := "", noun
	if i := strings.LastIndexByte(noun, ' '); i >= 0 {
		before, last = noun[:i+1], noun[i+1:]
	}
	for many, one := range singulars {
		if one == last && many != one {
			return before + many // the only one
		}
	}
	switch {
	case singulars[last] == last:
	case ends(last, "s", "x", "z", "ch", "sh"):
		last += "es"
	case ends(last, "y") && !ends(last, "ay", "ey", "oy", "uy"):
		last = last[:len(last)-1] + "ies"
	default:
		last += "s"
	}
	return before + last
}

// sounds are the beginnings of words that sound otherwise than their first letter: with an, and with a.
var sounds = [2][]string{{"hour", "honest", "honour", "honor", "heir"}, {"uni", "use", "usa", "usu", "eu", "one", "once", "uti", "ura"}}

// Article returns a noun behind its article.
func Article(noun string) string {
	lower := strings.ToLower(noun)
	begins := func(s string) bool { return strings.HasPrefix(lower, s) }
	if slices.ContainsFunc(sounds[0], begins) || lower != "" && strings.ContainsRune("aeiou", rune(lower[0])) && (begins("unin") || !slices.ContainsFunc(sounds[1], begins)) {
		return "an " + noun
	}
	return "a " + noun
}

// plurals are the plural forms of verbs that have one of their own.
var plurals = map[string]string{"is": "are", "was": "were", "has": "have", "does": "do", "goes": "go"}

// ForMany returns what one does, as many do: "gets letters" becomes "get letters".
func ForMany(verb string) string {
	first, rest, more := strings.Cut(verb, " ")
	if noun, is := one(rest); is && first == "is" { // "is an edit": "are edits"
		return "are " + Plural(noun)
	}
	if noun, no := strings.CutPrefix(rest, "no "); no && first == "is" {
		return "are no " + Plural(noun)
	}
	if many, ok := plurals[first]; ok {
		first = many
	} else {
		first = base(first)
	}
	if more {
		first += " " + rest
	}
	return first
}

// one returns the noun behind an article, if it is all that there is.
func one(text string) (noun string, is bool) {
	for _, article := range []string{"a ", "an "} {
		if noun, is = strings.CutPrefix(text, article); is {
			return noun, !strings.Contains(noun, " ")
		}
	}
	return "", false
}

// base returns a verb of the third person without its ending.
func base(verb string) string {
	switch {
	case len(verb) < 3 || ends(verb, "ss", "us", "is"):
		return verb
	case ends(verb, "ies"):
		return verb[:len(verb)-3] + "y"
	case ends(verb, "sses", "xes", "ches", "shes", "zzes", "oes"):
		return verb[:len(verb)-2]
	}
	return strings.TrimSuffix(verb, "s")
}

var auxiliaries = []string{"is", "was", "are", "were", "can", "could", "will", "would", "must", "should", "may", "might"}

// Negated returns the opposite of what one does.
func Negated(verb string) string {
	first, rest, _ := strings.Cut(verb, " ")
	if noun, is := one(rest); is && first == "is" { // "is an edit": "is no edit"
		return "is no " + noun
	}
	switch next, object, _ := strings.Cut(rest, " "); {
	case next == "not" && slices.Contains(auxiliaries, first):
		return first + " " + object
	case slices.Contains(auxiliaries, first):
		return first + " not " + rest
	case first == "has" || first == "had" || first == "have":
		return first + negatedHaving(next, object)
	case plurals[first] != "" || base(first) != first:
		return "does not " + strings.TrimSpace(ForMany(first)+" "+rest)
	}
	return "never " + verb
}

// negatedHaving returns the opposite of having something, or having done it.
func negatedHaving(next, object string) string {
	switch next {
	case "a", "an":
		return " no " + object
	case "no":
		return " at least one " + object
	case "never":
		return " " + object
	}
	if !ends(next, "ed", "en", "ne", "nt", "ht", "id", "de", "ld", "wn", "un", "ft") { // no participle
		return strings.TrimSuffix(" no "+next+" "+object, " ")
	}
	return strings.TrimSuffix(" never "+next+" "+object, " ")
}

// Capital returns a text with an upper-case first letter.
func Capital(text string) string {
	for i, r := range text {
		return text[:i] + string(unicode.ToUpper(r)) + text[i+len(string(r)):]
	}
	return text
}
