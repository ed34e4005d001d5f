package learning_test

import (
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
	tiedDB                   = streamtest.TiedDB
	ringsDB, sharingDB       = streamtest.RingsDB, streamtest.SharingDB
)

const (
	friends, independent = streamtest.Friends, streamtest.Independent
	tiedTask, sharing    = streamtest.TiedTask, streamtest.Sharing
	tied                 = streamtest.Tied
)

// rounds returns how many of n rounds of random input are tried: with -short an eighth, and otherwise as NETWORKS says.
func rounds(tb testing.TB, n int) uint64 {
	tb.Helper()
	if testing.Short() {
		n = (n + 7) / 8
	}
	return uint64(check.Networks(tb, n))
}
