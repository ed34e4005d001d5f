package lex_test

import (
	"testing"

	"resolwe/format/lex"
)

func TestMisread(t *testing.T) {
	t.Parallel()
	const utf16, mac = "the text is UTF-16: save it as UTF-8", "lines end in carriage returns alone, as on old Macs: end them in line feeds"
	for text, want := range map[string]string{
		"": "", "a": "", "a\n": "", "a\r\nb\r\n": "", "a\r": "", "a\r\r": "", "p(\"a\rb\")": "", "a\nb\rc": "", "\xff": "", "\xff\xff": "", "\x00\x00": "",
		"\xff\xfea\x00": utf16, "\xfe\xff\x00a": utf16, "a\x00b\x00": utf16, "\x00a\x00b": utf16,
		"a\rb": mac, "// x\r\rp(x)\r": mac, "p(\"a\")\rp(\"b\")": mac,
	} {
		if got := lex.Misread([]byte(text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
