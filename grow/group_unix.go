//go:build unix

package grow

import (
	"os/exec"
	"syscall"
)

// together puts a command and its children in a process group of their own, so that all are killed together.
func together(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
