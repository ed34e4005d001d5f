package main

import "io"

// What tests call.
var (
	Main     = main
	Run      = run
	Unquoted = unquoted
	IsWorker = isWorker
)

// Parse checks a command line without running it, and divides it into the program's arguments and Beam's.
func Parse(args []string) (own, beams []string, err error) {
	own, beams = split(args)
	_, err = newParser(new(cli), io.Discard, io.Discard, func(int) {}).Parse(own)
	return own, beams, err
}
