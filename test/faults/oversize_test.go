package faults

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// oversized is a request that is larger than any browser sends.
type oversized struct {
	name   string
	head   string // what follows "Host"
	target string // "POST /auth/api/signin" when empty
	body   string // repeated until the announced length is sent
	status int
}

func oversizedRequests() []oversized {
	const json, form = "Content-Type: application/json\r\n", "Content-Type: application/x-www-form-urlencoded\r\n"
	length := func(n int) string { return fmt.Sprintf("Content-Length: %d\r\n", n) }
	block := strings.Repeat("x", 64<<10)
	fields := strings.Repeat("k=v&", 4<<10)
	return []oversized{
		{name: "100 MB of JSON", head: json + length(100<<20), body: block, status: 413},
		{name: "100 MB of a form", target: "POST /auth/signin", head: "Accept: text/html\r\n" + form + length(100<<20), body: block, status: 413},
		{name: "100 MB in chunks", head: json + "Transfer-Encoding: chunked\r\n", body: "10000\r\n" + block + "\r\n", status: 411},
		{name: "100 MB to nobody", target: "POST /nowhere", head: json + length(100<<20), body: block, status: 404},
		{name: "JSON of depth 100,000", head: json + length(200_000), body: strings.Repeat("[", 100_000), status: 413},
		{name: "JSON of depth 16,000", head: json + length(16_000), body: strings.Repeat("[", 16_000), status: 400},
		{name: "1,000,000 keys of a form", head: form + length(4_000_000), body: fields, status: 413},
		{name: "4,096 keys of a form", head: form + length(16<<10), body: fields, status: 400},
		{name: "a header of 64 KB", head: "X: " + strings.Repeat("x", 64<<10) + "\r\n", status: 431},
		{name: "10,000 headers", head: strings.Repeat("X: y\r\n", 10_000), status: 431},
		{name: "cookies of 20 KB", target: "GET /auth/signin", head: "Cookie: a=" + strings.Repeat("x", 20<<10) + "\r\n", status: 431},
		{name: "a URL of more than 8 KB", target: "GET /auth/signin?" + strings.Repeat("x", 8<<10), status: 414},
	}
}

// Input that is too large is refused at once, without reading the rest, and
// costs no memory.
func TestFLT18_OversizedInput(t *testing.T) {
	announce(t)
	measures(t)
	p := newPlace(t, newSink(t))
	r := p.serve()
	for _, o := range oversizedRequests() { // warms up
		p.refused(o)
	}
	r.settled()
	for _, o := range oversizedRequests() {
		base, _ := r.rss()
		r.resetPeak()
		var mu sync.Mutex
		var times []time.Duration
		var group sync.WaitGroup
		for range 50 {
			group.Go(func() {
				took := p.refused(o)
				mu.Lock()
				defer mu.Unlock()
				times = append(times, took)
			})
		}
		group.Wait()
		_, peak := r.rss()
		t.Logf("FLT-18: %s: %d, 50 at once: p50 %v, slowest %v; RSS %d MiB before, peak %d MiB",
			o.name, o.status, percentile(times, 50), percentile(times, 100), base, peak)
		if limit := rounds(100, 20); peak-base > limit { // a loaded machine collects garbage late
			t.Errorf("%s: the memory grew by %d MiB, at most %d may be", o.name, peak-base, limit)
		}
		// Fifty clients share the cores with the server, so only the median is
		// judged, and beside other tests less strictly.
		if limit := 50 * time.Millisecond * time.Duration(rounds(30, 1)); percentile(times, 50) > limit {
			t.Errorf("%s: the answer took %v, at most %v", o.name, percentile(times, 50), limit)
		}
	}
}

// refused sends the whole request and returns the time from the end of its
// header to the answer. The connection must end after that.
func (p *place) refused(o oversized) time.Duration {
	p.Helper()
	c, err := newNetwork().Dial("tcp", p.listen)
	if err != nil {
		p.Error(err)
		return 0
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	if o.target == "" {
		o.target = "POST /auth/api/signin"
	}
	began := time.Now()
	go func() {
		host := strings.TrimPrefix(p.origin, "http://")
		_, err := fmt.Fprintf(c, "%s HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\n%s\r\n", o.target, host, p.origin, o.head)
		for sent := 0; err == nil && o.body != "" && sent < 100<<20; sent += len(o.body) {
			_, err = io.WriteString(c, o.body)
			time.Sleep(time.Millisecond) // as a fast network, without using all cores
		}
	}()
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		p.Errorf("%s: no answer: %v", o.name, err)
		return 0
	}
	took := time.Since(began)
	if answer.StatusCode != o.status || !answer.Close {
		p.Errorf("%s: %d, the connection ends: %v; want %d and its end", o.name, answer.StatusCode, answer.Close, o.status)
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	if n, err := c.Read(make([]byte, 1)); n > 0 || isTimeout(err) {
		p.Errorf("%s: the connection is still open", o.name)
	}
	return took
}
