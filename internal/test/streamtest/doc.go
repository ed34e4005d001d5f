// Package streamtest makes models and streams for tests.
package streamtest
