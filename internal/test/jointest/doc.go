// Package jointest provides inputs shared by the tests of several kernels.
package jointest
