package main_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"resolwe/internal/test/check"
)

// TestLearn_Killed kills learning at random moments, and lets it go on each time with another number of workers: it
// ends with the bytes of a run that was left alone.
func TestLearn_Killed(t *testing.T) {
	t.Parallel()
	const seed = 5
	kills := 10 // of each method
	if testing.Short() {
		kills = 4
	}
	for name, options := range map[string]string{
		"cd":  "--method cd --passes 600 --curve-every 7",
		"pcd": "--method pcd --passes 1200 --batch 3 --curve-every 7",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, uint64(len(name))))
			dir := t.TempDir()
			run := func(workers int, what string) *exec.Cmd {
				cmd := program(t, "learn", "testdata/peers/learn/link0.mln", "--target", "m", "--stream", "testdata/peers/learn",
					"--exact", "never", "--json", "--log-level", "error", "--workers", strconv.Itoa(workers),
					"-o", filepath.Join(dir, what+".mln"), "--curve", filepath.Join(dir, what+".csv"))
				cmd.Args = append(cmd.Args, strings.Fields(options)...)
				return cmd
			}
			began := time.Now()
			want, err := run(1, "want").Output()
			check.OK(t, err)
			took := time.Since(began)

			var got []byte
			finished := 0
			for killed := 0; killed < kills || got == nil; {
				cmd := run([]int{1, 2, 3, 8}[killed%4], "got")
				checkpoint := filepath.Join(dir, "checkpoint")
				cmd.Args = append(cmd.Args, "--checkpoint", checkpoint, "--checkpoint-every", "100", "--resume")
				var out bytes.Buffer
				cmd.Stdout = &out
				check.OK(t, cmd.Start())
				timer := time.NewTimer(time.Hour)
				if killed < kills {
					timer.Reset(time.Duration(r.Int64N(int64(took / 2))))
				}
				ended := make(chan error, 1)
				go func() { ended <- cmd.Wait() }()
				select {
				case <-timer.C:
					cmd.Process.Kill()
					if <-ended != nil {
						killed++
						continue
					}
				case err := <-ended:
					if err != nil {
						t.Fatalf("seed %d, after %d kills: %v", seed, killed, err)
					}
				}
				finished++
				if got = out.Bytes(); killed < kills { // it was too fast for the remaining kills: once more from the start
					check.OK(t, os.Remove(checkpoint))
				}
				if !bytes.Equal(got, want) {
					t.Errorf("seed %d, after %d kills: got\n%s\nwant\n%s", seed, killed, got, want)
				}
				for _, kind := range []string{".mln", ".csv"} {
					if !bytes.Equal(contents(t, filepath.Join(dir, "got"+kind)), contents(t, filepath.Join(dir, "want"+kind))) {
						t.Errorf("seed %d, after %d kills: the %s file differs", seed, killed, kind)
					}
				}
			}
			t.Logf("%d kills, %d runs that finished", kills, finished)
		})
	}
}

// program is the program itself, as a process of its own.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	check.OK(t, err)
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Args = append([]string{"resolwe"}, args...) // by which the test's main function knows it
	cmd.Env = append(os.Environ(), quickExit)
	return cmd
}
