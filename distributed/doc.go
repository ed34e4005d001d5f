// Package distributed cuts selection, learning and evaluation into parts that travel between machines as bytes, and puts
// together what comes of them.
package distributed
