package elementary_test

import (
	"testing"

	"resolwe/internal/elementary"
)

func TestMix(t *testing.T) {
	if elementary.Mix(0) != 0xe220a8397b1dcdaf { // the first output of splitmix64 seeded with 0, from its author's program
		t.Error("mix")
	}
}
