package main_test

import (
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"resolwe/internal/test/check"

	"resolwe/cmd/resolwe-beam/internal/test/beamtest"
	"resolwe/cmd/resolwe-beam/internal/test/proc"
)

func isOpen(a netip.AddrPort) bool { return !a.Addr().IsLoopback() }

// A job listens nowhere by default, and where a runner asks the program for workers, at an address of this machine alone.
func TestListening_Job(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers")
	}
	d := beamtest.New(t, 60, 12, 10)
	prismPort := port(t)
	start(t, "prism", prismPort)
	for _, c := range []struct {
		name string
		most int // addresses
		args []string
	}{
		{"default", 0, nil},
		{"LOOPBACK", 1, []string{
			"--runner", "universal", "--endpoint", "localhost:" + strconv.Itoa(prismPort), "--", "--environment_type=LOOPBACK",
		}},
	} {
		work := t.TempDir()
		var at []netip.AddrPort
		got := program(t, func(p *os.Process) {
			until(t, func() bool {
				at = append(at, proc.Listening(p.Pid)...)
				files, _ := filepath.Glob(filepath.Join(work, "*result-*"))
				return len(files) > 1
			})
		}, append([]string{
			"eval", d.Weighted, "--stream", d.Folder, "--method", "mcsat", "--samples", "600", "--workers", "1", "--work", work,
		}, c.args...)...)
		if at = slices.Compact(at); got.status != 0 || len(at) != c.most || slices.ContainsFunc(at, isOpen) {
			t.Errorf("%s: it listens at %v; exit status %d: %s", c.name, at, got.status, got.stderr)
		}
	}
}

// A pool of workers is open to other machines where that is asked for, and says so, once.
func TestListening_Pool(t *testing.T) {
	for _, c := range []struct {
		flags []string
		open  bool
	}{
		{[]string{"--listen", "localhost:0"}, false},
		{[]string{"--listen", ":0"}, true},
	} {
		var at []netip.AddrPort
		got := program(t, func(p *os.Process) {
			until(t, func() bool {
				at = proc.Listening(p.Pid)
				return len(at) > 0
			})
			check.OK(t, p.Signal(os.Interrupt))
		}, append([]string{"worker"}, c.flags...)...)
		if len(at) != 1 || isOpen(at[0]) != c.open {
			t.Errorf("%v: it listens at %v", c.flags, at)
		}
		if said := strings.Count(got.stderr, "warning: other machines may reach"); said > 1 || (said == 1) != c.open {
			t.Errorf("%v: got %q", c.flags, got.stderr)
		}
	}
}
