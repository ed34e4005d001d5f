// Package grow gives slices a requested length, reusing their memory if it suffices; [Lists] does so for many lists in one.
package grow
