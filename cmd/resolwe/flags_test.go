package main_test

import (
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	cmd "resolwe/cmd/resolwe"
	"resolwe/internal/test/check"
)

// What a flag of any command accepts is printed as text that it reads back as the same value.
func TestFlags_Print(t *testing.T) {
	t.Parallel()
	values := []string{
		"3", "0.8", ".1234567891", "1e-9", "-2", "2010-01-31", "2010-01-31T19:30:12Z", "90m", "1234567891", "1.5GiB", "100,.5", `a,it's\,"x" $y`, "true", "false",
	}
	app := cmd.Commands()
	flags := app.Flags
	for _, node := range app.Leaves(true) {
		flags = append(flags, node.Flags...)
	}
	check.AtLeast(t, len(flags), 200, "flags")
	for _, flag := range flags {
		read := func(text string) (reflect.Value, error) {
			v := reflect.New(flag.Target.Type()).Elem()
			return v, flag.Parse(kong.Scan().PushTyped(text, kong.FlagValueToken), v)
		}
		accepted := 0
		for _, text := range append(flag.EnumSlice(), values...) {
			value, err := read(text)
			if err != nil {
				continue
			}
			accepted++
			printed := cmd.ValueText(value)
			again, err := read(printed)
			check.OKf(t, err, "--%s %s, printed as %s", flag.Name, text, printed)
			if !reflect.DeepEqual(again.Interface(), value.Interface()) {
				t.Errorf("--%s %s is printed as %s, which is read as %v", flag.Name, text, printed, again)
			}
		}
		check.AtLeast(t, accepted, 1, "values that --%s accepts", flag.Name)
	}
}

// A shell and the program read a printed command line back as the same values.
func TestCommandOf(t *testing.T) {
	t.Parallel()
	lines := [][]string{
		{"t.mln", "--stream", "a b.rsg,c'd.rsg", "--stream", `e$f"\.rsg`, "-q", "P", "-q", "Q"},
		{"t.mln", "--split", "0.8"},
		{"t.mln", "--split", "2010-01-31"},
		{"t.mln", "--stream=-x", "--theta=-1", "--shrink=-.5"},
		{"t.mln", "--discover=false", "--given", "--timings=true", "--cnf"},
		{"t.mln", "--seed", "7", "--memory", "1GB", "--budget", "90m", "--k2", "0"},
		{"", "--systems", "gain,base", "--systems", "single"},
		{"demo", "--report", "report.html", "--subgraphs", "8", "--systems", "gain"},
	}
	for _, line := range lines {
		args := line
		if line[0] != "demo" {
			args = append([]string{"report", "--output", "report.html", "--stream", "s"}, line...)
		}
		want, text, err := cmd.Read(args)
		check.OKf(t, err, "%q", args)
		out, err := exec.CommandContext(t.Context(), "sh", "-c", `resolwe() { printf '%s\0' "$@"; }; `+text).Output() // #nosec G204 -- a test's
		check.OK(t, err)
		words := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		got, _, err := cmd.Read(words)
		check.OKf(t, err, "%q printed as %s", args, text)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q is printed as %s, which is read as\n%+v\nwant\n%+v", args, text, got, want)
		}
	}
}
