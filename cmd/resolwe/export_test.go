package main

// What tests call.
var (
	Main = main
	Run  = run
)
