package flags_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/alecthomas/kong"

	"resolwe/cmd/internal/flags"
	"resolwe/internal/test/check"
)

func TestTexts(t *testing.T) {
	t.Parallel()
	there := filepath.Join(t.TempDir(), "a,b")
	check.OK(t, os.WriteFile(there, nil, 0o600))
	for _, tt := range []struct {
		name  string
		args  []string
		text  string
		list  []string
		files []string
	}{
		{"bytes that are not UTF-8", []string{"--text", "d\xe9", "--list=a\xe9,\xff", "f\xe9"}, "d\xe9", []string{"a\xe9", "\xff"}, []string{"f\xe9"}},
		{"repeated lists", []string{"--list", "a,b", "--list", "c"}, "", []string{"a", "b", "c"}, nil},
		{"escaped commas", []string{"--list", `a\,b,\c,d\`}, "", []string{"a,b", `\c`, `d\`}, nil},
		{"empty parts", []string{"--list", "a,,b,"}, "", []string{"a", "", "b"}, nil},
		{"the name of a file", []string{"--list", there, "a,b"}, "", []string{there}, []string{"a,b"}},
		{"nothing", []string{"--text=", "--list="}, "", []string{}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var c struct {
				Text  string
				List  []string
				Files []string `arg:"" optional:""`
			}
			parser, err := kong.New(&c, kong.Writers(io.Discard, io.Discard), flags.Texts())
			check.OK(t, err)
			check.OK(t, check.Err(parser.Parse(tt.args)))
			check.Equal(t, "text", c.Text, tt.text)
			check.Equal(t, "list", c.List, tt.list)
			check.Equal(t, "files", c.Files, tt.files)
		})
	}
}
