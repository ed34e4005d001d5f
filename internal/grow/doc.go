// Package grow gives slices the length that is asked for, in the memory that they have where that suffices; [Lists] does so for many
// lists in one.
package grow
