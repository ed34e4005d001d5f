// Command resolwe-beam runs the stages of resolwe on a stream split into shards, in its own process or on an Apache Beam runner. See
// docs/scale.md, and resolwe-beam --help.
package main
