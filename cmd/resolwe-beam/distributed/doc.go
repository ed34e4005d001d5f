// Package distributed divides selection, learning and evaluation into parts that are sent between machines as bytes, and combines
// their results.
package distributed
