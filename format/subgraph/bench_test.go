package subgraph_test

import (
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"resolwe/format/subgraph"
)

// workload is a stream of subgraphs of some 20,000 facts each.
func workload(b *testing.B) []*subgraph.Subgraph {
	b.Helper()
	build, rng := newBuilder(social()), rand.New(rand.NewPCG(1, 0))
	list := make([]*subgraph.Subgraph, 8)
	for i := range list {
		list[i] = random(b, build, rng, i, 20_000)
	}
	return list
}

func BenchmarkRead(b *testing.B) {
	list := workload(b)
	for name, opt := range layouts {
		data := encode(b, social(), opt, list...)
		for reader, read := range readers {
			for want, names := range map[string]bool{"names": true, "blind": false} {
				b.Run(name+"/"+reader+"/"+want, func(b *testing.B) {
					b.SetBytes(int64(len(data)))
					b.ReportAllocs()
					for b.Loop() {
						if _, err := read(data, subgraph.ReaderOptions{Names: names}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	list := workload(b)
	for name, opt := range layouts {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(encode(b, social(), subgraph.WriterOptions{}, list...))))
			b.ReportAllocs()
			for b.Loop() {
				w, err := subgraph.NewWriter(io.Discard, social(), opt)
				for _, s := range list {
					err = errors.Join(err, w.Write(s))
				}
				if err = errors.Join(err, w.Close()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
