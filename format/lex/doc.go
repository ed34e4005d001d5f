// Package lex is the front end that the languages of the project share: positions, diagnostics, tokens, and the
// [Cursor] that their parsers walk over the tokens with.
package lex
