//go:build !amd64 || purego

package rows

// Without vector kernels every call uses its Go loop.
const vectors = false

const unreachable = "kernels/loglinear/rows: no vector kernels"

func sumVector(_, _ []float64, _ []uint32, _ uint32) bool { panic(unreachable) }

func addVector(_, _ []float64, _ []uint32, _ *Step) bool { panic(unreachable) }

func addEachVector(_, _ []float64, _, _ []uint32, _ []float64) bool { panic(unreachable) }

func addOuterVector(_, _, _ []float64) { panic(unreachable) }

func drawVector(_, _, _ []float64) uint64 { panic(unreachable) }
