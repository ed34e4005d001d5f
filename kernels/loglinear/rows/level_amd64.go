//go:build !purego

package rows

import "golang.org/x/sys/cpu"

// vectors says whether the CPU has what the vector kernels need. It is set once, before any of them runs.
var vectors = cpu.X86.HasAVX2

// sumVector reports whether all rows are within the matrix; where not, dst is undefined. len(dst) is a multiple of lanes.
//
//go:noescape
func sumVector(dst, matrix []float64, list []uint32, shift uint32) bool

// addVector reports whether all rows are within the matrix; where not, some have been changed. len(row) is a multiple of
// lanes.
//
//go:noescape
func addVector(matrix, row []float64, list []uint32, step *Step) bool

// addEachVector takes a list and classes of one length, and does likewise where a class is beyond the scales.
//
//go:noescape
func addEachVector(matrix, row []float64, list, classes []uint32, scales []float64) bool

// addOuterVector takes what AddOuter has checked; len(v) is a multiple of lanes.
//
//go:noescape
func addOuterVector(acc, matrix, v []float64)

// drawVector takes slices of one length, a multiple of lanes that is at most 64.
//
//go:noescape
func drawVector(p, h, u []float64) uint64
