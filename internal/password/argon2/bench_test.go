package argon2

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	oracle "golang.org/x/crypto/argon2"
)

// BenchmarkAgainstOracle prints the hashes a second of x/crypto and of each
// kernel, and their ratio. They take turns, so that a busy machine slows all of
// them. One caller uses an arena at a time, and there are as many arenas as
// cores; x/crypto has no such limit. The wipe is included.
//
// Each turn begins with hashes that do not count. x/crypto allocates 19 MiB for
// each hash. The first hashes of a process, and the first after a pause, wait
// for 4,864 pages from the system. That doubles their time on a virtual
// machine. A server that hashes all the time has these pages, so the comparison
// is with such a server.
func BenchmarkAgainstOracle(b *testing.B) {
	password, salt := []byte("quilt zebra violin"), []byte("0123456789abcdef")
	p := Params{Memory: 19 * 1024, Passes: 2, Lanes: 1}
	for _, callers := range []int{1, 2, 16} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			var runs []contender
			runs = append(runs, contender{"x/crypto", func() {
				oracle.IDKey(password, salt, p.Passes, p.Memory, uint8(p.Lanes), 32)
			}, 0})
			for _, k := range kernels() {
				slots := make(chan *Arena, runtime.GOMAXPROCS(0))
				for range cap(slots) {
					slots <- &Arena{kernel: k}
				}
				runs = append(runs, contender{k.name, func() {
					a := <-slots
					defer func() { slots <- a }()
					derive(b, a, 32, Input{Password: password, Salt: salt}, p)
				}, 0})
			}
			for range warmUps {
				together(callers, runs[0].hash)
			}
			rounds := 0
			for b.Loop() {
				rounds++
				for i := range runs {
					together(callers, runs[i].hash)
					runs[i].spent += together(callers, runs[i].hash)
				}
			}
			for _, r := range runs {
				b.ReportMetric(float64(rounds*callers*hashesEach)/r.spent.Seconds(), r.name+"/s")
				b.ReportMetric(runs[0].spent.Seconds()/r.spent.Seconds(), r.name+"-times")
			}
		})
	}
}

const (
	hashesEach = 4 // by one caller in a round
	warmUps    = 4 // rounds of x/crypto until the heap has its final size
)

type contender struct {
	name  string
	hash  func()
	spent time.Duration
}

func together(callers int, hash func()) time.Duration {
	start := time.Now()
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for range hashesEach {
				hash()
			}
		})
	}
	all.Wait()
	return time.Since(start)
}
