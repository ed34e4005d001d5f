package main

import "resolwe/cmd/internal/console"

// usageError is an error of usage that only the command line can detect.
type usageError = console.UsageError
