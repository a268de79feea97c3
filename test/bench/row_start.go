package main

import (
	"context"
	"os"
	"time"
)

const (
	mostStarts = 12 // of a bare server, in the time until the product is ready
	mostMemory = 64 // MiB
	mostBinary = 52 // MB
)

// startUp starts the product repeatedly.
func startUp(ctx context.Context, b *bench, e engine) ([]figure, error) {
	i, err := b.installed(ctx, e, e.large(b.scale))
	if err != nil {
		return nil, err
	}
	var starts, bare []reading
	for range b.starts {
		p, took, err := i.timed(ctx)
		if err != nil {
			return nil, err
		}
		p.stop()
		starts = append(starts, reading{wait: took})
		began := time.Now()
		limit, _, err := b.limit(ctx, roleSession, "0")
		if err != nil {
			return nil, err
		}
		bare = append(bare, reading{wait: time.Since(began)})
		limit.stop()
	}
	p, err := i.serve(ctx)
	if err != nil {
		return nil, err
	}
	defer p.stop()
	time.Sleep(b.settle)
	memory, err := p.memory("VmRSS")
	if err != nil {
		return nil, err
	}
	own, err := p.memory("RssAnon")
	if err != nil {
		return nil, err
	}
	file, err := os.Stat(b.binary)
	if err != nil {
		return nil, err
	}
	return []figure{
		{name: "start to ready, in starts of a bare server", product: millis(values(starts, waitOf)), limit: millis(values(bare, waitOf)),
			value: ratios(starts, bare, waitOf), aim: mostStarts},
		{name: "idle memory", value: spreadOf([]float64{memory}), unit: "MiB", aim: mostMemory},
		{name: "idle memory, not shared", limit: "without pages of the binary", value: spreadOf([]float64{own}), unit: "MiB", aim: mostMemory},
		{name: "binary", value: spreadOf([]float64{float64(file.Size()) / 1e6}), unit: "MB", aim: mostBinary},
	}, nil
}
