package render_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"resolwe/internal/render"
	"resolwe/internal/test/check"
)

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		text    string
		columns int
		want    []string
	}{
		{"empty", "", 5, []string{""}},
		{"fits", "a => b", 6, []string{"a => b"}},
		{"at a space outside of atoms", "friends(u, w) ^ used(w, t) => used(u, t)", 24, []string{"friends(u, w) ^", "used(w, t) => used(u, t)"}},
		{"within an atom", "friendship(user, other, when)", 20, []string{"friendship(user,", "other, when)"}},
		{"within a word", "abcdefgh", 3, []string{"abc", "def", "gh"}},
		{"wide letters", "漢字漢字", 5, []string{"漢字", "漢字"}},
		{"a letter wider than the line", "漢字", 1, []string{"漢", "字"}},
		{"spaces at the end", "abc   ", 3, []string{"abc"}},
	} {
		check.Equal(t, tt.name, fmt.Sprintf("%q", render.Wrap(tt.text, tt.columns)), fmt.Sprintf("%q", tt.want))
	}
}

// No line is too long, and nothing but spaces is lost.
func TestWrap_Random(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	letters := []string{"a", "b", " ", "(", ")", "{", "}", ",", "^", "ü", "e\u0301", "漢", "\U0001f468\u200d\U0001f469"}
	bare := strings.NewReplacer(" ", "")
	for range 2000 {
		var b strings.Builder
		for range rng.IntN(60) {
			b.WriteString(letters[rng.IntN(len(letters))])
		}
		text, columns := b.String(), 2+rng.IntN(30)
		lines := render.Wrap(text, columns)
		for _, line := range lines {
			if render.Width(line) > columns {
				t.Fatalf("seed %d: %q in %d columns: line %q", seed, text, columns, line)
			}
		}
		if got := strings.Join(lines, ""); bare.Replace(got) != bare.Replace(text) {
			t.Fatalf("seed %d: %q in %d columns: got %q", seed, text, columns, lines)
		}
	}
}

func ExampleHang() {
	screen := render.NewScreen(os.Stdout, 40, false)
	_ = render.Hang(screen, "    0.5432  ", "friends(u, w) ^ used(w, t) => used(u, t)")
	_ = render.Hang(os.Stdout, "    0.5432  ", "friends(u, w) ^ used(w, t) => used(u, t)")
	// Output:
	// 0.5432  friends(u, w) ^ used(w, t)
	//             => used(u, t)
	//     0.5432  friends(u, w) ^ used(w, t) => used(u, t)
}

func TestHang_Narrow(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	check.OK(t, render.Hang(render.NewScreen(&b, 20, false), "    0.5432  ", "p(x) ^ q(x) => r(x)"))
	check.Equal(t, "text", b.String(), "0.5432  p(x) ^ q(x)\n=> r(x)\n")
}

func TestParagraph(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	const text = "\none two three\nfour\n\n"
	check.OK(t, render.Paragraph(&b, text))
	check.Equal(t, "no screen", b.String(), text)
	b.Reset()
	check.OK(t, render.Paragraph(render.NewScreen(&b, 9, false), text))
	check.Equal(t, "screen", b.String(), "\none two\nthree\nfour\n\n")
}
