//go:build !purego

package rows

import "golang.org/x/sys/cpu"

// vectors reports whether the CPU supports the vector kernels. It is set before any of them runs.
var vectors = cpu.X86.HasAVX2

// sumVector reports whether all rows are within the matrix; if not, dst is undefined. len(dst) is a multiple of lanes.
//
//go:noescape
func sumVector(dst, matrix []float64, list []uint32, shift uint32) bool

// addVector reports whether all rows are within the matrix; if not, some rows have been changed. len(row) is a multiple of lanes.
//
//go:noescape
func addVector(matrix, row []float64, list []uint32, step *Step) bool

// addEachVector is like addVector, and also reports false if a class is beyond the scales. The list and classes have equal lengths.
//
//go:noescape
func addEachVector(matrix, row []float64, list, classes []uint32, scales []float64) bool

// addOuterVector expects arguments checked by AddOuter; len(v) is a multiple of lanes.
//
//go:noescape
func addOuterVector(acc, matrix, v []float64)

// drawVector takes slices of equal length, a multiple of lanes and at most 64.
//
//go:noescape
func drawVector(p, h, u []float64) uint64
