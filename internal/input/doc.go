// Package input opens what is read: regular files, which may change, files that are mapped into memory, and archives.
package input
