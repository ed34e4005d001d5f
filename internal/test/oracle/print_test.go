package oracle_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"resolwe/format/mln"
	"resolwe/internal/test/check"
	"resolwe/internal/test/jointest"
	"resolwe/internal/test/oracle"
)

// TestRandomFormulas_ReadBack compares formulas with counting literals, numbers and shapes with the parse of their printed form, and with
// the parse of that form after renaming variables and reordering conjuncts. Their canonical forms and their values on the data must be
// equal.
func TestRandomFormulas_ReadBack(t *testing.T) {
	t.Parallel()
	const formulas = 4
	compared, scrambled := 0, 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 91))
		opt := oracle.TaskOptions{
			General: seed%3 > 0, Hard: seed%2 == 0, Shapes: seed%3 > 1, Counts: true, Aggregates: true, Formulas: formulas, Subgraphs: 1, Entities: 3,
		}
		model, db := oracle.RandomTask(r, opt)
		lines := strings.Split(strings.TrimSpace(model), "\n")
		declarations := strings.Join(lines[:len(lines)-formulas], "\n") + "\n"
		c := jointest.Load(t, model, db)
		values := c.World(0).Values(c.Model.Formulas)
		for i, f := range c.Model.Formulas {
			printed := mln.FormatRule(f)
			other := scramble(r, printed)
			for _, text := range []string{printed, other} {
				again, err := mln.Parse("again.mln", []byte(declarations+text), mln.Options{})
				if err != nil || len(again.Formulas) != 1 {
					t.Fatalf("seed %d: %s reads back as %v, %v", seed, text, again, err)
				}
				g := again.Formulas[0]
				check.Equal(t, fmt.Sprintf("seed %d: canonical form of %s, from %s", seed, printed, text), mln.Canonical(g), mln.Canonical(f))
				check.Equal(t, fmt.Sprintf("seed %d: value of %s, from %s", seed, printed, text), c.World(0).Values(again.Formulas)[0], values[i])
				compared++
			}
			if other != printed {
				scrambled++
			}
		}
	}
	if compared < 800 || scrambled < 350 {
		t.Errorf("%d formulas compared, %d of them changed: too few", compared, scrambled)
	}
}

var (
	nameToken = regexp.MustCompile(`@?\b[A-Za-z]\w*\b[({]?`)
	braces    = regexp.MustCompile(`(#|\w+)\{([^:{}]*): ([^{}]*)\}`)
	grouped   = regexp.MustCompile(`(?:^|[ !])\(|EXIST|FORALL`)
	connected = regexp.MustCompile(` v | => | <=> `)
	// The weight and shape, the formula, the period.
	formulaParts = regexp.MustCompile(`^((?:-?[\d.]+ )?(?:[a-z]+(?:\([^)]*\))?: )?)(.*?)(\.?)$`)
)

// scramble renames the variables of a printed formula, and reorders conjuncts and listed variables.
func scramble(r *rand.Rand, text string) string {
	renamed := map[string]string{}
	text = nameToken.ReplaceAllStringFunc(text, func(token string) string {
		if strings.HasSuffix(token, "(") || strings.HasSuffix(token, "{") || strings.ContainsAny(token[:1], "@ABEF") || slices.Contains([]string{"v", "once", "log", "mean", "relative"}, token) {
			return token
		}
		if renamed[token] == "" {
			renamed[token] = fmt.Sprintf("%c%d", 'a'+r.IntN(20), len(renamed))
		}
		return renamed[token]
	})
	var literals []string // replaced by placeholders meanwhile
	text = braces.ReplaceAllStringFunc(text, func(literal string) string {
		part := braces.FindStringSubmatch(literal)
		listed := strings.Split(part[2], ", ")
		lead, ok := map[string]int{"#": 0, "share": 0, "last": 2, "trend": 2}[part[1]]
		if !ok {
			lead = 1
		}
		text := strings.Join(listed[:lead], ", ")
		if rest := listed[lead:]; len(rest) > 0 {
			text = strings.TrimPrefix(text+", "+shuffled(r, strings.Join(rest, ", "), ", "), ", ")
		}
		conjunctions := strings.Split(part[3], " | ")
		for i, c := range conjunctions {
			conjunctions[i] = shuffled(r, c, " ^ ")
		}
		literals = append(literals, part[1]+"{"+text+": "+strings.Join(conjunctions, " | ")+"}")
		return fmt.Sprintf("<%d>", len(literals)-1)
	})
	if !grouped.MatchString(text) {
		text = reordered(r, text)
	}
	for i, l := range literals {
		text = strings.ReplaceAll(text, fmt.Sprintf("<%d>", i), l)
	}
	return text
}

// reordered shuffles the conjuncts of a formula without groups. The head of a shape stays in place.
func reordered(r *rand.Rand, text string) string {
	parts := formulaParts.FindStringSubmatch(text)
	body, head := parts[2], ""
	if at := strings.LastIndex(body, " => "); at >= 0 {
		body, head = body[:at], body[at:]
	} else if at := strings.LastIndex(body, " ^ "); strings.Contains(parts[1], ": ") && at >= 0 {
		body, head = body[:at], body[at:]
	}
	if !connected.MatchString(body) {
		body = shuffled(r, body, " ^ ")
	}
	return parts[1] + body + head + parts[3]
}

// shuffled shuffles the parts of a list.
func shuffled(r *rand.Rand, list, separator string) string {
	parts := strings.Split(list, separator)
	r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
	return strings.Join(parts, separator)
}
