package report

import "resolwe/format/mln"

// InWords gives tests the text of a formula.
func InWords(schema *mln.Schema, f *mln.Formula) string { return inWords(schema, f).String() }

// Clip gives tests the text of a name on the page.
var Clip = clip
