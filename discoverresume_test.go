package resolwe_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"resolwe"
	"resolwe/format/mln"
	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

// A discovery that goes on from any of its checkpoints, between the lengths and within one, finds what one finds that was never
// ended, with other workers; so does one whose caller ended it, and one whose budget was up.
func TestDiscover_Resume(t *testing.T) {
	t.Parallel()
	m := streamtest.Parse(t, advising)
	stream := func() *resolwe.Stream { return streamtest.InMemory(t, m, advisingDB()) }
	opt := resolwe.DiscoverOptions{Length: 3, Support: 1}
	text := func(opt resolwe.DiscoverOptions) (string, error) {
		found, err := resolwe.Discover(t.Context(), m, stream(), opt)
		if err != nil {
			return "", err
		}
		return discovered(t, found), nil
	}
	want, err := text(opt)
	check.OK(t, err)
	var saved [][]byte
	opt.Checkpoints.Due = func() bool { return true }
	opt.Checkpoints.Save = func(data []byte) error {
		saved = append(saved, bytes.Clone(data))
		return nil
	}
	got, err := text(opt)
	check.OK(t, err)
	check.Equal(t, "with checkpoints", got, want)
	if len(saved) <= opt.Length+1 {
		t.Fatalf("got %d checkpoints, want some within a length", len(saved))
	}
	every := slices.Clone(saved)
	for i, data := range every {
		opt.Run.Workers = []int{1, 2, 3, 8}[i%4]
		opt.Checkpoints.Resume = data
		got, err := text(opt)
		check.OK(t, err)
		check.Equal(t, fmt.Sprintf("from checkpoint %d of %d", i, len(every)), got, want)
	}
	for after := range len(every) - 2 { // ended by the caller, after this number of batches
		ctx, cancel := context.WithCancel(t.Context())
		first, batches := opt, 0
		first.Checkpoints.Resume = nil
		first.Checkpoints.Due = func() bool {
			if batches++; batches > after {
				cancel()
			}
			return false
		}
		saved = nil
		_, err := resolwe.Discover(ctx, m, stream(), first)
		if !errors.Is(err, context.Canceled) || len(saved) != 1 {
			t.Fatalf("ended after %d: got %v and %d checkpoints, want one", after, err, len(saved))
		}
		opt.Checkpoints.Resume = saved[0]
		got, err := text(opt)
		check.OK(t, err)
		check.Equal(t, fmt.Sprintf("ended after %d", after), got, want)
	}
	saved = nil
	short := opt
	short.Checkpoints.Resume, short.Budget = nil, resolwe.NewBudget(0, time.Now)
	_, err = text(short)
	check.OK(t, err)
	opt.Checkpoints.Resume = append(saved, nil)[0]
	got, err = text(opt)
	check.OK(t, err)
	check.Equal(t, "after a budget", got, want)
}

// discovered is all that a discovery gives.
func discovered(t *testing.T, d *resolwe.Discovery) string {
	t.Helper()
	var out strings.Builder
	check.OK(t, d.Model.Write(&out, nil))
	for _, c := range d.Candidates {
		fmt.Fprintln(&out, mln.FormatFormula(c.Formula), c.Length, c.Support)
	}
	fmt.Fprintln(&out, d.Subgraphs, d.Length, d.Warnings)
	return out.String()
}

// A checkpoint of another discovery is refused with what differs, a damaged one as damaged.
func TestDiscover_Resume_Refused(t *testing.T) {
	t.Parallel()
	opt := resolwe.DiscoverOptions{Length: 2, Support: 1}
	var saved []byte
	opt.Checkpoints.Save = func(data []byte) error {
		saved = bytes.Clone(data)
		return nil
	}
	m := streamtest.Parse(t, advising)
	_, err := resolwe.Discover(t.Context(), m, streamtest.InMemory(t, m, advisingDB()), opt)
	check.OK(t, err)
	for name, test := range map[string]struct {
		model, db, want string
		damaged         bool
		change          func(*resolwe.DiscoverOptions)
	}{
		"model":       {model: advising + "happy(person)\n", want: "differs in the model"},
		"stream":      {db: advisingDB() + "@subgraph s3\nprofessor(Fay)\n", want: "differs in the stream"},
		"fact":        {db: advisingDB() + "professor(Dan)\n", want: "differs in the stream"},
		"other fact":  {db: strings.Replace(advisingDB(), "professor(Eve)", "professor(Dan)", 1), want: "differs in the contents of the stream"},
		"length":      {change: func(o *resolwe.DiscoverOptions) { o.Length = 3 }, want: "differs in DiscoverOptions.Length"},
		"support":     {change: func(o *resolwe.DiscoverOptions) { o.Support = 2 }, want: "differs in DiscoverOptions.Support"},
		"max":         {change: func(o *resolwe.DiscoverOptions) { o.Max = 2 }, want: "differs in DiscoverOptions.Max"},
		"memory":      {change: func(o *resolwe.DiscoverOptions) { o.Memory = 1 }, want: "differs in DiscoverOptions.Memory"},
		"subgraphs":   {change: func(o *resolwe.DiscoverOptions) { o.Subgraphs = 2 }, want: "differs in DiscoverOptions.Subgraphs"},
		"of learning": {change: cut("\x93RSWCP\r\n"), damaged: true, want: "this is not a checkpoint of a discovery"},
		"byte":        {change: flip(20), damaged: true, want: "damaged"},
		"shorter":     {change: cut(string(saved[:len(saved)/2])), damaged: true, want: "damaged"},
		"empty":       {change: cut(""), damaged: true, want: "this is not a checkpoint of a discovery"},
	} {
		model := streamtest.Parse(t, cmp.Or(test.model, advising))
		changed := opt
		changed.Checkpoints.Resume = bytes.Clone(saved)
		if test.change != nil {
			test.change(&changed)
		}
		_, err := resolwe.Discover(t.Context(), model, streamtest.InMemory(t, model, cmp.Or(test.db, advisingDB())), changed)
		var refused *resolwe.CheckpointError
		if !errors.As(err, &refused) || !strings.HasSuffix(err.Error(), test.want) || refused.Damaged != test.damaged {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
}

func cut(text string) func(*resolwe.DiscoverOptions) {
	return func(o *resolwe.DiscoverOptions) { o.Checkpoints.Resume = []byte(text) }
}

func flip(from int) func(*resolwe.DiscoverOptions) {
	return func(o *resolwe.DiscoverOptions) { o.Checkpoints.Resume[len(o.Checkpoints.Resume)-from] ^= 4 }
}

// FuzzResumeDiscovery goes on from any bytes.
func FuzzResumeDiscovery(f *testing.F) {
	m := streamtest.Parse(f, advising)
	opt := resolwe.DiscoverOptions{Length: 2, Support: 1}
	opt.Checkpoints.Save = func(data []byte) error {
		f.Add(bytes.Clone(data))
		return nil
	}
	_, err := resolwe.Discover(f.Context(), m, streamtest.InMemory(f, m, advisingDB()), opt)
	check.OK(f, err)
	f.Fuzz(func(t *testing.T, data []byte) {
		opt := resolwe.DiscoverOptions{Length: 2, Support: 1}
		opt.Checkpoints.Resume = streamtest.Reseal(data)
		_, err := resolwe.Discover(t.Context(), m, streamtest.InMemory(t, m, advisingDB()), opt)
		if err != nil && !errors.As(err, new(*resolwe.CheckpointError)) {
			t.Errorf("got %v, want a *CheckpointError", err)
		}
	})
}
