package workload

// What tests call.
var (
	Checksum  = checksum
	Ladder    = ladder
	NewSpread = newSpread
	Peak      = peak
)
