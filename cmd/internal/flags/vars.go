package flags

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"resolwe"
	"resolwe/crossval"
	"resolwe/kernels/localsearch"
	"resolwe/kernels/mcsat"
)

// Vars returns the defaults that help texts show.
func Vars() kong.Vars {
	d, search := mcsat.DefaultOptions(), localsearch.DefaultOptions()
	return kong.Vars{
		"samples": strconv.Itoa(d.Samples), "burnin": strconv.Itoa(d.BurnIn), "sweeps": strconv.Itoa(d.Sweeps),
		"mapsweeps": strconv.Itoa(search.Sweeps), "systems": systems(),
		"defaults": strings.Join(crossval.Defaults(), ", "),
	}
}

// maxWorkers bounds --workers, since each worker has its own memory.
const maxWorkers = 4096

// CheckWorkers checks the value of --workers.
func CheckWorkers(n int) error {
	if n < 0 || n > maxWorkers {
		return &resolwe.OptionError{Option: "--workers", Reason: fmt.Sprintf("0 to %d", maxWorkers)}
	}
	return nil
}

// Stated turns a number from the command line into an option. In options 0 stands for the default, but on the command line it is a
// value like any other: it becomes -1, which every range check refuses.
func Stated[T int | float64](v T) T {
	if v == 0 {
		return -1
	}
	return v
}

// Given is Stated for a flag without a default; not given, it is 0.
func Given[T int | float64](v *T) T {
	if v == nil {
		return 0
	}
	return Stated(*v)
}
