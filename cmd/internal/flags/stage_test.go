package flags_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"resolwe/cmd/internal/flags"
	"resolwe/internal/test/check"
)

// A text is divided into the words that a shell makes of it.
func TestWords_Shell(t *testing.T) {
	t.Parallel()
	pieces := []string{"a", "--b=c", "=", "'d e'", `"f g"`, `\ `, `\'`, `\"`, `\\`, `"h\"i"`, `"\\j"`, `"\k"`, `"\$"`, `'l\m'`, `''`, `""`, `'"'`, `"'"`, "ü", " ", " ", "  ", "\t"}
	const seed = 7
	rng := rand.New(rand.NewPCG(seed, 0))
	const show = `words() { for w; do printf '%s\0' "$w"; done; printf '|\0'; }` + "\nwords "
	texts := make([]string, 400)
	for i := range texts {
		var text strings.Builder
		for range rng.IntN(8) {
			text.WriteString(pieces[rng.IntN(len(pieces))])
		}
		texts[i] = text.String()
	}
	out, err := exec.CommandContext(t.Context(), "sh", "-c", show+strings.Join(texts, "\nwords ")).Output() // #nosec G204 -- a test's
	check.OK(t, err)
	want := strings.Split(string(out), "|\x00")
	for i, text := range texts {
		words, err := flags.Words(text)
		check.OK(t, err)
		got := strings.Join(append(words, ""), "\x00")
		check.Is(t, got, want[i], "seed %d, %q", seed, text)
	}
	for text, want := range map[string]string{"a 'b": "the quote ' is not closed", `"a\"`: `the quote " is not closed`, `a \`: "a backslash ends the text"} {
		_, err := flags.Words(text)
		check.Contains(t, fmt.Sprint(err), want, "%s", text)
	}
}

// Options of a stage that were sent to a worker are those that were given; what is not stated has its default.
func TestStage_Sent(t *testing.T) {
	t.Parallel()
	type args struct{ Learn flags.Stage[flags.Learn] }
	for text, want := range map[string]flags.Learn{
		"":                                {Sigma: 2, Method: "auto", Passes: "auto", Exact: "auto", CDSamples: 5, Sampler: "auto"},
		`--sigma=.5 --passes '7' --b "`:   {},
		`--sigma=.5 --passes '7'`:         {Sigma: .5, Method: "auto", Passes: "7", Exact: "auto", CDSamples: 5, Sampler: "auto"},
		"--batch 3 --batch=4 --method cd": {Sigma: 2, Method: "cd", Passes: "auto", Batch: new(4), Exact: "auto", CDSamples: 5, Sampler: "auto"},
	} {
		var given, got args
		err := given.Learn.UnmarshalText([]byte(text))
		if want == (flags.Learn{}) {
			check.Contains(t, fmt.Sprint(err), "is not closed", "%s", text)
			continue
		}
		check.OK(t, err)
		data, err := json.Marshal(given)
		check.OK(t, err)
		check.OK(t, json.Unmarshal(data, &got))
		check.Equal(t, text, got.Learn.Flags, want)
		check.Equal(t, text+" is given", got.Learn.Given(), text != "")
	}
}
