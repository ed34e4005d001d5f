package flags

import (
	"strconv"

	"github.com/alecthomas/kong"

	"resolwe/kernels/mcsat"
)

// Vars are the defaults that help texts show.
func Vars() kong.Vars {
	d := mcsat.DefaultOptions()
	return kong.Vars{
		"samples": strconv.Itoa(d.Samples), "burnin": strconv.Itoa(d.BurnIn), "sweeps": strconv.Itoa(d.Sweeps),
	}
}
