// Package input opens inputs: regular files, which may change while they are read; files mapped into memory; and archives.
package input
