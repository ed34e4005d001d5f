// Package export writes models for other systems: Alchemy, SQL, PSL and ProbLog. What a system cannot say is an error.
package export
