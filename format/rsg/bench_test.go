package rsg_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"resolwe/format/rsg"
	"resolwe/format/subgraph"
	"resolwe/internal/test/check"
)

// workload is a stream of subgraphs of some 20,000 facts each, which share most of them where the layout is about that.
func workload(b *testing.B, layout string) []*subgraph.Subgraph {
	b.Helper()
	if layout == "shared" {
		return newGraph(rand.New(rand.NewPCG(1, 0)), 200, 100).cut(b, 8)
	}
	build, rng := newBuilder(social()), rand.New(rand.NewPCG(1, 0))
	list := make([]*subgraph.Subgraph, 8)
	for i := range list {
		list[i] = random(b, build, rng, i, 20_000)
	}
	return list
}

func BenchmarkRead(b *testing.B) {
	for name, opt := range layouts {
		list := workload(b, name)
		data := encode(b, social(), opt, list...)
		for reader, read := range readers {
			for want, names := range map[string]bool{"names": true, "blind": false} {
				b.Run(name+"/"+reader+"/"+want, func(b *testing.B) {
					b.SetBytes(int64(len(data)))
					b.ReportAllocs()
					for b.Loop() {
						check.OK(b, check.Err(read(data, rsg.ReaderOptions{Names: names})))
					}
				})
			}
		}
	}
}

// large returns subgraphs of 1,700 persons and 3,400 things: most of the ties of 40,000 friends, which they share, 34,000
// things owned, and 15,000 liked or not.
func large(b *testing.B, n int) []*subgraph.Subgraph {
	b.Helper()
	const persons, things = 1700, 3400
	rng := rand.New(rand.NewPCG(2, 0))
	pairs := func(n, rows, cols int) map[[2]int]bool {
		set := map[[2]int]bool{}
		for len(set) < n {
			set[[2]int{rng.IntN(rows), rng.IntN(cols)}] = true
		}
		return set
	}
	friends, build, list := pairs(40_000, persons, persons), newBuilder(social()), make([]*subgraph.Subgraph, n)
	for i := range list {
		build.Reset(fmt.Sprint("s", i), "", -1)
		add := func(pred int, types [2]int, set map[[2]int]bool, truths int) {
			for pair := range set {
				x, y := build.Entity(types[0], fmt.Sprint("E", pair[0])), build.Entity(types[1], fmt.Sprint("E", pair[1]))
				build.Add(pred, []uint32{x, y}, subgraph.True+subgraph.Truth(rng.IntN(truths)))
			}
		}
		add(0, [2]int{0, 0}, friends, 1)
		add(4, [2]int{0, 1}, pairs(34_000, persons-i, things), 1)
		add(3, [2]int{0, 1}, pairs(15_000, persons-i, things), 2)
		list[i] = build.finish(b)
	}
	return list
}

// BenchmarkAtInto reads large records one after the other: into the same memory, as a worker does, without and with the
// relations that they share, and into memory of their own.
func BenchmarkAtInto(b *testing.B) {
	data := encode(b, social(), rsg.WriterOptions{}, large(b, 8)...)
	for name, opt := range map[string]rsg.ReaderOptions{"shared": {Shared: true}, "whole": {}, "own": {}} {
		b.Run(name, func(b *testing.B) {
			f, err := rsg.Open(data, "x.rsg", opt)
			check.OK(b, err)
			first, n := 2, f.Len()-2 // the second brings what the others share
			size := int64(0)
			for i := range n {
				size += f.Entry(first + i).Bytes
			}
			b.SetBytes(size / int64(n))
			b.ReportAllocs()
			buf := new(rsg.Buffer)
			for i := 0; b.Loop(); i++ {
				if name == "own" {
					buf = new(rsg.Buffer)
				}
				if s, err := f.AtInto(buf, first+i%n); err != nil || (s.Shared != nil) != opt.Shared {
					b.Fatal("what is shared is not as asked for, or ", err)
				}
			}
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	for name, opt := range layouts {
		list := workload(b, name)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(encode(b, social(), rsg.WriterOptions{}, list...))))
			b.ReportAllocs()
			for b.Loop() {
				w, err := rsg.NewWriter(io.Discard, social(), opt)
				for _, s := range list {
					err = errors.Join(err, w.Write(s))
				}
				check.OK(b, errors.Join(err, w.Close()))
			}
		})
	}
}
