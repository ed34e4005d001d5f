// Package naive holds the slow and obvious twin of each kernel. It computes
// the same by the definition, by enumeration, on inputs small enough for that;
// tests hold the kernels against it.
package naive
