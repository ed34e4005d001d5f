// Package console is how programs speak to people: messages, and results in the width and the colours of a terminal; and how they
// end, with an exit status.
package console
