// Package export writes models for other systems: Alchemy, SQL, PSL and ProbLog. A model that a system cannot express is an error.
package export
