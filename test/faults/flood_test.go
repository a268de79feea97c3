package faults

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/testform"
)

// flood is a number of connections that never finish their request.
type flood struct {
	name  string
	first string        // what each connection sends at once
	drip  string        // what it sends every second after that; "" for nothing
	most  time.Duration // how long a connection may stay open; 0 for the whole test

	mu    sync.Mutex
	conns []net.Conn
	open  int
	stays time.Duration // how long the longest was open
}

func (p *place) floods() []*flood {
	host := "Host: " + strings.TrimPrefix(p.origin, "http://") + "\r\n"
	return []*flood{
		{name: "a header that never ends", first: "GET /auth/signin HTTP/1.1\r\n" + host + "X: ", drip: "x", most: 10 * time.Second},
		{name: "nothing at all", most: 10 * time.Second},
		{name: "a body that never ends", first: "POST /auth/api/signin HTTP/1.1\r\n" + host + "Origin: " + p.origin + "\r\nContent-Type: application/json\r\nContent-Length: 300\r\n\r\n{", drip: " ", most: 10 * time.Second},
		{name: "HTTP/2 without TLS", first: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", drip: "x", most: 10 * time.Second},
		{name: "no second request", first: "GET /auth/api/session HTTP/1.1\r\n" + host + "\r\n"},
	}
}

// join opens n connections from one address; some may be refused.
func (f *flood) join(p *place, n int) {
	network := newNetwork()
	for range n {
		c, err := network.Dial("tcp", p.listen)
		if err == nil {
			_, err = io.WriteString(c, f.first)
		}
		if err != nil {
			continue
		}
		began := time.Now()
		f.mu.Lock()
		f.conns = append(f.conns, c)
		f.open++
		f.mu.Unlock()
		p.Cleanup(func() { _ = c.Close() })
		go func() {
			_, _ = io.Copy(io.Discard, c)
			f.mu.Lock()
			defer f.mu.Unlock()
			f.open--
			f.stays = max(f.stays, time.Since(began))
		}()
	}
}

// left returns the number of open connections.
func (f *flood) left() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.open
}

// drips sends one more piece on each connection.
func (f *flood) drips() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.conns {
		_, _ = io.WriteString(c, f.drip)
	}
}

// Thousands of connections send slowly or wait. Each is closed in time, one
// network gets only its share, and the times of an honest browser do not
// change.
func TestFLT17_SlowLoris(t *testing.T) {
	announce(t)
	measures(t)
	p := newPlace(t, newSink(t))
	r := p.serve()
	r.settled()
	me := p.browser()
	me.register(fresh("me"))
	sessionChecks(me, 200*time.Millisecond, nil)
	quiet := sessionChecks(me, time.Second, nil)
	base, _ := r.rss()
	files := r.files()

	all := p.floods()
	each := rounds(80, 400)
	for _, f := range all {
		if f.join(p, each); len(f.conns) < each {
			t.Errorf("%s: %d of %d connections are accepted", f.name, len(f.conns), each)
		}
	}
	stop := make(chan struct{})
	var dripping sync.WaitGroup
	dripping.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Second):
			}
			for _, f := range all {
				f.drips()
			}
		}
	})
	during := sessionChecks(me, 4*time.Second, nil)
	_, peak := r.rss()
	held := r.files()
	eventually(15*time.Second, func() bool {
		for _, f := range all {
			if f.most > 0 && f.left() > 0 {
				return false
			}
		}
		return true
	})
	close(stop)
	dripping.Wait()
	for _, f := range all {
		t.Logf("FLT-17: %d times %s: %d are left, the longest was open for %v", each, f.name, f.left(), f.stays)
		if f.most > 0 && (f.left() > 0 || f.stays > testform.Limit(f.most)) {
			t.Errorf("%s: %d are open, the longest for %v, at most %v", f.name, f.left(), f.stays, f.most)
		}
	}
	t.Logf("FLT-17: session check p50 %v p99 %v before, p50 %v p99 %v during; RSS %d MiB before, peak %d MiB; %d files before, %d with %d connections",
		percentile(quiet, 50), percentile(quiet, 99), percentile(during, 50), percentile(during, 99), base, peak, files, held, len(all)*each)
	if len(during) == 0 || full() && percentile(during, 99) > 2*percentile(quiet, 99)+2*time.Millisecond {
		t.Errorf("session checks (%d) wait during the flood", len(during))
	}
	if held > files+len(all)*each+50 {
		t.Errorf("%d files are open", held)
	}
	p.share(r)
}

// share fails unless one network gets its share of connections, no more, and
// gets it again after they are closed.
func (p *place) share(r *process) {
	p.Helper()
	const most, over = 512, 90
	greedy := &flood{}
	before := r.files()
	greedy.join(p, most+over)
	if !eventually(testform.Patience, func() bool { return greedy.left() <= most }) {
		p.Errorf("one network holds %d connections, at most %d may be", greedy.left(), most)
	}
	if err := p.ask(newNetwork()); err != nil {
		p.Errorf("another network is not served: %v", err)
	}
	p.Logf("FLT-17: of %d connections of one network %d are held, %d files", most+over, greedy.left(), r.files())
	for _, c := range greedy.conns {
		_ = c.Close()
	}
	if !eventually(testform.Patience, func() bool { return r.files() <= before+5 }) {
		p.Errorf("%d files are open after the connections have ended, %d were before", r.files(), before)
	}
}

// ask sends one request on a new connection.
func (p *place) ask(d *net.Dialer) error {
	c, err := d.Dial("tcp", p.listen)
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := fmt.Fprintf(c, "GET /auth/signin HTTP/1.1\r\nHost: %s\r\n\r\n", strings.TrimPrefix(p.origin, "http://")); err != nil {
		return err
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d", answer.StatusCode)
	}
	return err
}

func isTimeout(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }
