package subgraph

import "strings"

// IsStream reports whether head, the first bytes of some input, begins an .rsg stream.
func IsStream(head []byte) bool { return strings.HasPrefix(string(head), magic) }
