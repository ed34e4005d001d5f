// Package examples embeds the task files of the paper's two tasks, which the generator of package bench/paperscale needs.
package examples

import "embed"

// FS holds the models and recipes.
//
//go:embed wikicollabs/*.mln wikicollabs/*.recipe delicious/*.mln delicious/*.recipe
var FS embed.FS
