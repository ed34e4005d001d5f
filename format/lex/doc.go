// Package lex is the front end shared by the languages of the project: positions, diagnostics, tokens, and the [Cursor] with which parsers
// read them.
package lex
