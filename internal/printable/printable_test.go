package printable_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"resolwe/internal/printable"
	"resolwe/internal/test/check"
)

func ExampleExcerpt() {
	text, before := printable.Excerpt("name(\"\x1b[31m\", x)", 13)
	fmt.Println(text)
	fmt.Println(printable.Caret(text, before))
	// Output:
	// name("\x1b[31m", x)
	//                 ^
}

func TestEscape(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                      "",
		"plain, ümlaut, 漢字":     "plain, ümlaut, 漢字",
		"a\tb\nc":               "a\tb\nc",
		"\x1b]0;title\x07":      `\x1b]0;title\x07`,
		"\r\x00\x7f\u0085":      `\x0d\x00\x7f\u0085`,
		"U\u202e123\u200f":      `U\u202e123\u200f`,
		"\xff\xc3":              `\xff\xc3`,
		"\U000e0001":            `\U000e0001`,
		"no-break\u00a0space":   `no-break\u00a0space`,
		"replacement \ufffd ok": "replacement \ufffd ok",
	} {
		check.Equal(t, in, printable.Escape(in), want)
	}
}

// The output does not depend on how the text is cut.
func TestWriter(t *testing.T) {
	t.Parallel()
	const text = "ü\x1b[2J漢\U0001f600\xe6x\xff\n"
	for size := 1; size <= len(text); size++ {
		var b strings.Builder
		w := printable.NewWriter(&b)
		for at := 0; at < len(text); at += size {
			part := text[at:min(at+size, len(text))]
			n, err := w.Write([]byte(part))
			check.OK(t, err)
			check.Equal(t, "bytes", n, len(part))
		}
		check.Equal(t, fmt.Sprintf("%d bytes at once", size), b.String(), printable.Escape(text))
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no full device")
	}
	defer full.Close()
	check.Fails(t, check.Err(printable.NewWriter(full).Write([]byte("x"))), "a full device")
}

func FuzzExcerpt(f *testing.F) {
	f.Add("smo\x1b[31mkes(person)", 4)
	f.Add(strings.Repeat("漢", 200), 301)
	f.Fuzz(func(t *testing.T, line string, offset int) {
		offset = max(0, min(offset, len(line)))
		text, before := printable.Excerpt(line, offset)
		for _, r := range text {
			if r != '\t' && r != '\n' && !unicode.IsPrint(r) && r != utf8.RuneError {
				t.Fatalf("%q has %U", text, r)
			}
		}
		if n := utf8.RuneCountInString(text); before > n {
			t.Fatalf("%d of %d", before, n)
		}
		printable.Caret(text, before)
	})
}

func TestClip(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		most int
		want string
	}{
		{"", 3, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "abc..."},
		{"ab\u00e9d", 3, "ab..."},
		{"a\U0001f600b", 4, "a..."},
		{"\x80\x80\x80\x80\x80\x80", 4, "\x80..."},
	} {
		check.Equal(t, fmt.Sprintf("%q in %d", test.text, test.most), printable.Clip(test.text, test.most), test.want)
	}
}
