package input

import (
	"os"
	"syscall"
)

// statusTime returns when the contents or the metadata of a file last changed, which no program can set back, or a zero.
func statusTime(info os.FileInfo) syscall.Timespec {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctim
	}
	return syscall.Timespec{}
}
