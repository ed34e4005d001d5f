package learning_test

import (
	"testing"

	"go.uber.org/goleak"

	"resolwe/internal/test/streamtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Helpers, and tasks with their facts.
var (
	parse, inMemory, subgraphs = streamtest.Parse, streamtest.InMemory, streamtest.Subgraphs
	pack                       = streamtest.Pack
	file, open                 = streamtest.File, streamtest.Open
	random, worlds, rules      = streamtest.Random, streamtest.Worlds, streamtest.Rules

	independentDB, tiedDB = streamtest.IndependentDB, streamtest.TiedDB
)

const (
	friends, independent = streamtest.Friends, streamtest.Independent
	tiedTask, sharing    = streamtest.TiedTask, streamtest.Sharing
	tied                 = streamtest.Tied
)
