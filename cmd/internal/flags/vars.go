package flags

import (
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"resolwe/crossval"
	"resolwe/kernels/localsearch"
	"resolwe/kernels/mcsat"
)

// Vars are the defaults that help texts show.
func Vars() kong.Vars {
	d, search := mcsat.DefaultOptions(), localsearch.DefaultOptions()
	return kong.Vars{
		"samples": strconv.Itoa(d.Samples), "burnin": strconv.Itoa(d.BurnIn), "sweeps": strconv.Itoa(d.Sweeps),
		"mapsweeps": strconv.Itoa(search.Sweeps), "systems": systems(),
		"defaults": strings.Join(crossval.Defaults(), ", "),
	}
}

// Stated returns what a number on the command line is as an option: 0 is no default there, and is below every range.
func Stated[T int | float64](v T) T {
	if v == 0 {
		return -1
	}
	return v
}
