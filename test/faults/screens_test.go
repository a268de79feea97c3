package faults

import (
	"io"
	"net/http"
	"sync"
	"testing"
	"time"
)

// ownScreens are the requests that an outside fault must not slow down: the
// check of a session and the sign-in page.
var ownScreens = []string{"/auth/api/session", "/auth/signin"}

// timing holds the times of each of them, in order.
type timing map[string][]time.Duration

// onlooker returns a signed-in browser with enough connections for steadily
// when answers are late. One network may have 512.
func (p *place) onlooker() *browser {
	p.Helper()
	b := p.browser()
	b.transport.MaxConnsPerHost, b.transport.MaxIdleConnsPerHost = 64, 64
	b.must("signin", map[string]string{"email": p.registered(), "password": good})
	return b
}

// steadily requests each screen so many times, a few hundred times a second,
// without waiting for earlier answers. A late answer then neither delays nor
// hides others. The time of a request starts when it is sent, not when it was
// planned, because a busy machine may delay the sending.
func (b *browser) steadily(times int) timing {
	b.Helper()
	const pause = 2500 * time.Microsecond
	took := timing{}
	var group sync.WaitGroup
	began := time.Now()
	for _, target := range ownScreens {
		took[target] = make([]time.Duration, times)
	}
	for i := range times {
		time.Sleep(time.Duration(i)*pause - time.Since(began))
		for _, target := range ownScreens {
			group.Go(func() { took[target][i] = b.takes(target) })
		}
	}
	group.Wait()
	return took
}

// takes returns the time until the end of the answer.
func (b *browser) takes(target string) time.Duration {
	r, err := http.NewRequest("GET", b.origin+target, nil)
	if err != nil {
		b.Error(err)
		return 0
	}
	for name, value := range b.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	began := time.Now()
	a, err := b.transport.RoundTrip(r)
	if err != nil {
		b.Errorf("%s: %v", target, err)
		return 0
	}
	_, err = io.Copy(io.Discard, a.Body)
	took := time.Since(began)
	_ = a.Body.Close()
	if err != nil || a.StatusCode != http.StatusOK {
		b.Errorf("%s: %v, %d", target, err, a.StatusCode)
	}
	return took
}

// add appends the times of other.
func (took timing) add(other timing) {
	for target, list := range other {
		took[target] = append(took[target], list...)
	}
}

// unmoved fails if the p99 of a screen during the fault is more than twice its
// p99 without. Both come from alternating blocks, so that other load on the
// machine affects both.
func unmoved(t *testing.T, name string, well, sick timing) {
	t.Helper()
	for _, target := range ownScreens {
		a, b := sick[target], well[target]
		t.Logf("FLT-08: %s: %s p50 %v p99 %v well, p50 %v p99 %v sick (%d each)", name, target,
			percentile(b, 50), percentile(b, 99), percentile(a, 50), percentile(a, 99), len(a))
		if !full() {
			continue
		}
		ratio := tails(a, b)
		t.Logf("FLT-08: %s: %s: p99 grows %.2f times (median of %d parts)", name, target, ratio, blocks)
		if ratio > 2 {
			t.Errorf("%s: %s takes %.2f times as long, at most 2", name, target, ratio)
		}
	}
}
