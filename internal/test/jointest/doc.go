// Package jointest makes the inputs that the tests of several kernels share.
package jointest
