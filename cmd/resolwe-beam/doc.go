// Command resolwe-beam runs the stages of resolwe in its own process or on an Apache Beam runner, over a stream that is cut
// into shards. See docs/scale.md, and resolwe-beam --help.
package main
