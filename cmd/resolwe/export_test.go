package main

import (
	"io"

	"resolwe/crossval"
)

// What tests call.
var (
	Main = main
	Run  = run
)

// WarnShort warns of a system whose learning ended short of the optimum.
func WarnShort(stderr io.Writer, sys *crossval.Outcome) error {
	e := &environment{stderr: stderr, common: &Common{}}
	err := e.start()
	e.shortOfOptimum(sys)
	return err
}
