package workload

// What tests call.
var (
	Checksum  = checksum
	NewSpread = newSpread
	Peak      = peak
)
