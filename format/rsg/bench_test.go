package rsg_test

import (
	"errors"
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
						if _, err := read(data, rsg.ReaderOptions{Names: names}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
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
