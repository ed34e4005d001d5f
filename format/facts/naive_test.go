package facts_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"resolwe/internal/test/check"
)

var (
	quotedOrComment = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/`)
	plainName       = regexp.MustCompile(`^[A-Z0-9][A-Za-z0-9_]*$`)
	escape          = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
)

// naiveRead is the slow and obvious twin of the reader, for texts without errors.
func naiveRead(text, name string) []dump {
	var quoted []string
	text = strings.TrimPrefix(text, "\ufeff")
	text = quotedOrComment.ReplaceAllStringFunc(text, func(s string) string {
		if !strings.HasPrefix(s, `"`) {
			return " " + strings.Repeat("\n", strings.Count(s, "\n"))
		}
		name, err := strconv.Unquote(s)
		if err != nil {
			panic(err)
		}
		quoted = append(quoted, name)
		return fmt.Sprintf("$%d", len(quoted)-1)
	})
	constant := func(s string) string {
		s = strings.TrimSpace(s)
		if n, ok := strings.CutPrefix(s, "$"); ok {
			i, _ := strconv.Atoi(n)
			return quoted[i]
		}
		return s
	}
	fresh := func(name string) dump {
		return dump{Name: name, Fold: -1, Domains: [][]string{{}, {}}, Atoms: map[string][]string{}}
	}
	all := []dump{fresh(name)}
	if strings.Contains(text, "@subgraph") {
		all = nil
	}
	last := func() *dump { return &all[len(all)-1] }
	mention := func(typ int, name string) {
		current := last()
		if !slices.Contains(current.Domains[typ], name) {
			current.Domains[typ] = append(current.Domains[typ], name)
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		words := strings.Fields(strings.ReplaceAll(line, "=", " = "))
		switch {
		case len(words) == 0:
		case words[0] == "@subgraph":
			next := fresh(constant(words[1]))
			for i := 2; i < len(words); i += 3 {
				if words[i] == "center" {
					next.Center = constant(words[i+2])
				} else {
					next.Fold, _ = strconv.Atoi(words[i+2])
				}
			}
			next.Index = len(all)
			all = append(all, next)
		case words[0] == "@entity":
			for _, w := range words[2:] {
				mention(wiki.Type(words[1]), constant(w))
			}
		default:
			head, tail, _ := strings.Cut(line, "(")
			pred := strings.TrimLeft(head, "!? \t")
			truth := strings.TrimSpace(strings.TrimSuffix(head, pred))
			pred = strings.TrimSpace(pred)
			p := wiki.Predicates[wiki.Predicate(pred)]
			var atom []string
			for i, a := range strings.Split(strings.TrimRight(tail, ") \t\r"), ",") {
				mention(p.Args[i], constant(a))
				atom = append(atom, fmt.Sprintf("%q", constant(a)))
			}
			if truth == "!" && !p.Role.IsTarget() {
				continue
			}
			key, joined := truth+pred, strings.Join(atom, " ")
			if current := last(); !slices.Contains(current.Atoms[key], joined) {
				current.Atoms[key] = append(current.Atoms[key], joined)
			}
		}
	}
	for _, d := range all {
		for _, atoms := range d.Atoms {
			slices.Sort(atoms)
		}
	}
	return all
}

// writer generates texts without errors in every spelling that the language has.
type writer struct {
	strings.Builder
	rng *rand.Rand
}

func (w *writer) pick(of ...string) string { return of[w.rng.IntN(len(of))] }

func (w *writer) blank() string {
	return w.pick("", "", "", " ", "\t", "  ", "/* // */", "/**/", `/* "quoted */`)
}

func (w *writer) gap() string { return w.pick(" ", "\t", "   ", " /* gap */ ") }

// constant returns a name and one of its spellings.
func (w *writer) constant() (name, spelled string) {
	n := w.rng.IntN(12)
	name = w.pick(
		fmt.Sprintf("U%d", n), strconv.Itoa(n), fmt.Sprintf("Autumn_0001_%d", n), "", "Élan vital", "a // b", "a /* b",
		"c */ d", "p(A, B)", `"\"`, `\\`, "lower", "@center", "x=y", "@subgraph",
		"two\nlines", "return\r", "a\tb", "nul\x00", "\x1b[31m", "\u202eright to left", "\ufffd")
	quoted := w.pick(`"`+escape.Replace(name)+`"`, strconv.Quote(name), strconv.QuoteToASCII(name))
	if plainName.MatchString(name) {
		return name, w.pick(name, name, quoted)
	}
	return name, quoted
}

func (w *writer) line() {
	w.WriteString(w.blank())
	switch w.rng.IntN(12) {
	case 0:
	case 1:
		w.WriteString("/* a comment\n over\n// lines */")
	case 2:
		w.WriteString("@entity" + w.gap() + w.pick(wiki.Types...))
		for range w.rng.IntN(4) {
			_, spelled := w.constant()
			w.WriteString(w.gap() + spelled)
		}
	default:
		w.fact()
	}
	w.end()
}

func (w *writer) end() {
	w.WriteString(w.blank() + w.pick("", "", "// end", " //", "/* over\r\n two lines */") + w.pick("\n", "\n", "\r\n"))
}

// fact states an atom. Its truth follows from the names, so that no two statements contradict each other.
func (w *writer) fact() {
	p := wiki.Predicates[w.rng.IntN(len(wiki.Predicates))]
	args, letters := make([]string, len(p.Args)), 0
	for i := range args {
		name, spelled := w.constant()
		args[i], letters = spelled, letters+len(name)
	}
	truth := []string{"", "!", "?"}[letters%3]
	if truth == "?" && !p.Role.IsTarget() {
		truth = ""
	}
	w.WriteString(truth + w.blank() + p.Name + w.blank() + "(" + w.blank())
	w.WriteString(strings.Join(args, w.blank()+","+w.blank()) + w.blank() + ")")
}

// head begins a subgraph.
func (w *writer) head(i int) {
	w.WriteString("@subgraph" + w.gap() + fmt.Sprintf(w.pick("s%d", "%d", `"s %d"`, `"s%d"`, `"Élan %d"`), i))
	_, center := w.constant()
	if center == `""` {
		center = "C"
	}
	c, f := w.gap()+"center"+w.blank()+"="+w.blank()+center, w.gap()+"fold="+strconv.Itoa(w.rng.IntN(9))
	w.WriteString(w.pick("", c, f, c+f, f+c))
	w.end()
}

func (w *writer) text() string {
	w.WriteString(w.pick("", "\ufeff") + w.pick("", "// head\n", "/*\n*/"))
	subgraphs := w.rng.IntN(5)
	for i := range max(1, subgraphs) {
		if subgraphs > 0 {
			w.head(i)
		}
		for range w.rng.IntN(30) {
			w.line()
		}
	}
	return strings.TrimSuffix(w.String(), w.pick("", "\n"))
}

func TestReader_MatchesNaive(t *testing.T) {
	t.Parallel()
	for seed := range uint64(250) {
		w := &writer{rng: rand.New(rand.NewPCG(seed, 0))}
		text := w.text()
		got := mustReadAll(t, strings.NewReader(text), "dir/random.db", wiki)
		check.MustNoDiff(t, cmp.Diff(got, naiveRead(text, "random")), "seed %d: got -, want + of\n%s", seed, text)
	}
}
