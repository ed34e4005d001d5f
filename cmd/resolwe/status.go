package main

import "resolwe/cmd/internal/console"

// usageError is wrong usage that no package knows of.
type usageError = console.UsageError
