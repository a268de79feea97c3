package app

import (
	"net/http"
	"testing"
)

// BenchmarkStart measures the time from New to the first answer of /readyz.
func BenchmarkStart(b *testing.B) {
	for name, existing := range map[string]bool{"first": false, "again": true} {
		b.Run(name, func(b *testing.B) {
			cfg := settings(b, b.TempDir())
			open(b, cfg, Options{}).end(b)
			for b.Loop() {
				if !existing {
					b.StopTimer()
					cfg = settings(b, b.TempDir())
					b.StartTimer()
				}
				a := open(b, cfg, Options{Dist: dist()})
				r := run(b, a)
				if status, text := r.get(r.ops + "/readyz"); status != http.StatusOK {
					b.Fatal(status, text)
				}
				b.StopTimer()
				r.stop()
				if err := <-r.stopped; err != nil {
					b.Fatal(err)
				}
				a.end(b)
				b.StartTimer()
			}
		})
	}
}
