// Package rsg reads and writes streams of subgraphs as .rsg files and through pipes. FORMAT.md specifies their layout.
package rsg
