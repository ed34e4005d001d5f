package main_test

import (
	"os/exec"
	"reflect"
	"regexp"
	"slices"
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
		"--k2 5", "--passes '2'", "--samples=9", "--block 7",
	}
	app := cmd.Commands()
	flags := flagsOf(app)
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
		{"t.mln", "--stream=-x", "--select=--theta=-1 --shrink=-.5"},
		{"t.mln", "--discover=false", "--infer", "--given", "--timings=true", "--cnf"},
		{"t.mln", "--seed", "7", "--memory", "1GB", "--budget", "90m", "--select", "--k2 0 --criterion 'paper'"},
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

// The help of a command lists at most 20 options of its own. All commands together take few, those that they share apart from what all
// have included; and those of a stage are its command's.
func TestOptions_Few(t *testing.T) {
	t.Parallel()
	const most, mostOverall = 20, 350
	listed := regexp.MustCompile(`(?m)^ {2,6}(?:-\w, )?--`)
	slots, leaves := 0, cmd.Commands().Leaves(true)
	for _, node := range leaves {
		name := strings.TrimPrefix(node.FullPath(), "resolwe ")
		short, all := output(t, append(strings.Fields(name), "--help")...), output(t, append(strings.Fields(name), "--help-all")...)
		check.AtMost(t, len(listed.FindAllString(short, -1)), most, "options in the help of %s", name)
		own := 0
		for _, f := range node.Flags {
			slots++
			if f.Group == nil || f.Group.Key != "input" {
				own++
				check.Contains(t, all, "--"+f.Name, "all options of %s", name)
			}
			if stage, ok := reflect.TypeAssert[interface{ Has(name string) bool }](f.Target.Addr()); ok {
				checkStage(t, leaves, f.Name, stage.Has)
			}
		}
		check.Equal(t, "options in the whole help of "+name, len(listed.FindAllString(all, -1)), own)
	}
	check.AtMost(t, slots, mostOverall, "options of all commands")
	shared := output(t, "help", "options")
	for _, name := range []string{"target", "cnf", "skip-damaged", "ignore-unknown", "workers", "seed", "profile", "memory", "log-level", "progress"} {
		check.Contains(t, shared, "--"+name, "shared options")
	}
}

// checkStage compares the options that a text for a stage may hold with those that the command of the stage lists under headings.
func checkStage(t *testing.T, leaves []*kong.Node, command string, has func(name string) bool) {
	t.Helper()
	n := 0
	for _, node := range leaves {
		if node.FullPath() != "resolwe "+command {
			continue
		}
		for _, f := range node.Flags {
			headed := f.Group != nil && f.Group.Key != "input"
			if has(f.Name) {
				n++
			}
			if has(f.Name) && !headed || headed && !has(f.Name) && f.Group.Key != "Discovery:" { // which plan has not
				t.Errorf("resolwe %s lists --%s: %v, a stage has it: %v", command, f.Name, headed, has(f.Name))
			}
		}
	}
	check.AtLeast(t, n, 7, "options of the stage %s", command)
}

// Every option that a page names is one of some command, or another program's.
func TestDocs_Options(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"help": true, "help-all": true, "version": true}
	for _, other := range []string{"runner", "mix", "tables", "schema", "load", "include", "rm"} { // of resolwe-beam, resolwe-import, a script, grep and docker
		known[other] = true
	}
	app := cmd.Commands()
	for _, f := range flagsOf(app) {
		known[f.Name] = true
	}
	option := regexp.MustCompile(`(^|[^\w-])--([a-z][a-z0-9-]*)`)
	found := 0
	for _, name := range pageNames(t) {
		if name == "docs/scale.md" { // on resolwe-beam, whose tests read it
			continue
		}
		for _, m := range option.FindAllStringSubmatch(string(contents(t, root+name)), -1) {
			if found++; !known[m[2]] {
				t.Errorf("%s: no command has an option --%s", name, m[2])
			}
		}
	}
	check.AtLeast(t, found, 300, "options on pages")
}

// flagsOf returns the flags of the program and of all commands.
func flagsOf(app *kong.Application) []*kong.Flag {
	all := slices.Clone(app.Flags)
	for _, node := range app.Leaves(true) {
		all = append(all, node.Flags...)
	}
	return all
}
