// Package atomicfile writes files, and other output, that appear complete or not at all.
package atomicfile
