package resolwe_test

import (
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"resolwe/internal/test/check"
	"resolwe/internal/test/streamtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Helpers, and tasks with their facts.
var (
	parse, inMemory, subgraphs = streamtest.Parse, streamtest.InMemory, streamtest.Subgraphs
	pack                       = streamtest.Pack
	file, open, contents       = streamtest.File, streamtest.Open, streamtest.Contents
	random, worlds, rules      = streamtest.Random, streamtest.Worlds, streamtest.Rules

	friendsDB, independentDB = streamtest.FriendsDB, streamtest.IndependentDB
	ringsDB, sharingDB       = streamtest.RingsDB, streamtest.SharingDB
)

const (
	friends, independent = streamtest.Friends, streamtest.Independent
	tiedTask, sharing    = streamtest.TiedTask, streamtest.Sharing
)

// sameBytes returns a result, which has to be the same for any number of workers.
func sameBytes(t *testing.T, what string, result func(workers int) string) string {
	t.Helper()
	want := result(1)
	for _, workers := range []int{2, 3, 8} {
		check.Equal(t, fmt.Sprintf("%s, %d workers", what, workers), result(workers), want)
	}
	return want
}

// rounds returns how many of n rounds of random input are tried: with -short an eighth.
func rounds(n uint64) uint64 {
	if testing.Short() {
		return (n + 7) / 8
	}
	return n
}
