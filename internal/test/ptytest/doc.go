// Package ptytest opens terminals for tests, on Linux.
package ptytest
