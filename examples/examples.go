// Package examples embeds the task files of the tasks that bench/paperscale, bench/shop and bench/answers generate tables for, and bench/drift a stream.
package examples

import "embed"

// FS holds the models and recipes.
//
//go:embed wikicollabs/*.mln wikicollabs/*.recipe delicious/*.mln delicious/*.recipe shop/*.mln shop/*.recipe answers/*.mln answers/*.recipe drift/*.mln
var FS embed.FS
