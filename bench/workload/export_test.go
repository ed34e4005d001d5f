package workload

// What tests call.
var (
	Checksum = checksum
	Ladder   = ladder
	Peak     = peak
)
