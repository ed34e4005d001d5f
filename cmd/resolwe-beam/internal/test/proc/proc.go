// Package proc reads information on processes from Linux; on other systems it finds none.
package proc

import (
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Stat returns the fields of a process, starting with its state.
func Stat(pid int) []string {
	data, err := os.ReadFile(path(pid, "stat"))
	if err != nil {
		return nil
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	return strings.Fields(rest)
}

// Children returns the processes that a process has started.
func Children(parent int) []int {
	all, _ := filepath.Glob("/proc/[0-9]*") // the pattern is one
	var out []int
	for _, path := range all {
		pid, _ := strconv.Atoi(filepath.Base(path)) // digits
		if fields := Stat(pid); len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			out = append(out, pid)
		}
	}
	return out
}

// Listening returns the TCP addresses at which a process and its children listen.
func Listening(pid int) []netip.AddrPort {
	var out []netip.AddrPort
	sockets := map[string]bool{}
	files, _ := filepath.Glob(path(pid, "fd/*")) // the pattern is one
	for _, f := range files {
		if target, err := os.Readlink(f); err == nil {
			sockets[target] = true
		}
	}
	for _, table := range []string{"net/tcp", "net/tcp6"} {
		data, _ := os.ReadFile(path(pid, table)) // a process that has ended listens nowhere
		for line := range strings.Lines(string(data)) {
			f := strings.Fields(line)
			if len(f) > 9 && f[3] == listening && sockets["socket:["+f[9]+"]"] {
				out = append(out, address(f[1]))
			}
		}
	}
	for _, child := range Children(pid) {
		out = append(out, Listening(child)...)
	}
	return out
}

// listening is the state of a socket that listens.
const listening = "0A"

// address parses an address in Linux's tables: machine words, little-endian, and the port.
func address(text string) netip.AddrPort {
	host, port, _ := strings.Cut(text, ":")
	words, _ := hex.DecodeString(host)
	for i := 0; i+4 <= len(words); i += 4 {
		binary.BigEndian.PutUint32(words[i:], binary.LittleEndian.Uint32(words[i:]))
	}
	ip, _ := netip.AddrFromSlice(words)
	n, _ := strconv.ParseUint(port, 16, 16)
	return netip.AddrPortFrom(ip.Unmap(), uint16(n))
}

func path(pid int, file string) string { return filepath.Join("/proc", strconv.Itoa(pid), file) }
