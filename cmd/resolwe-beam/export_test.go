package main

// What tests call.
var (
	Main     = main
	Run      = run
	Unquoted = unquoted
	IsWorker = isWorker
)
