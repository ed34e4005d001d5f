//go:build !unix

package grow

import "os/exec"

// together does nothing on systems without process groups.
func together(*exec.Cmd) {}
