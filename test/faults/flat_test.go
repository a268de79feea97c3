package faults

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/testform"
)

// crowd is a group of clients that send requests of every kind, also to apps.
// Some of them hang up early.
type crowd struct {
	*process
	sick    *sickApp
	session map[string]string // the cookies
	sent    atomic.Int64
}

// Many requests of every kind leak nothing.
func TestFLT21_NothingLeaks(t *testing.T) {
	announce(t)
	measures(t)
	r, sick := behindTheDoor(t)
	sick.be(pours("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n", "more"))
	me := r.browser()
	me.register(fresh("me"))
	c := &crowd{process: r, sick: sick, session: me.cookies}
	all := rounds(6_000, 1_000_000)
	c.ask(all / 3) // fills caches, pools and counters
	first := c.holding()
	c.ask(all - all/3)
	last := c.holding()
	t.Logf("FLT-21: after %d and %d requests: %v and %v", all/3, c.sent.Load(), first, last)
	if last.files > first.files+rounds(16, 4) || last.goroutines > first.goroutines+rounds(16, 4) {
		t.Error("files or goroutines leak")
	}
	if last.heap > first.heap+rounds(64, 8) || last.rss > first.rss+rounds(64, 16) {
		t.Error("memory leaks")
	}
}

// ask sends n requests from eight networks.
func (c *crowd) ask(n int) {
	c.Helper()
	const people = 8
	var group sync.WaitGroup
	for range people {
		group.Go(func() {
			b := c.browser()
			defer b.close()
			b.cookies = c.session
			for i := range n / people {
				if err := c.one(b, i); err != nil {
					c.Error(err)
					return
				}
				c.sent.Add(1)
			}
		})
	}
	group.Wait()
}

// one sends the request with number i.
func (c *crowd) one(b *browser, i int) error {
	often := []string{
		"/auth/api/session", "/well/page", "/auth/signin", "/auth/api/sessions", "/well/page", "/auth/account", "/auth/verify-code?flow=none", "/nowhere",
	}
	var err error
	switch {
	case i%500 == 77:
		stranger := c.browser() // failures of one network are limited
		defer stranger.close()
		_, err = stranger.post("signin", map[string]string{"email": fresh("nobody"), "password": "not the password of anybody"})
	case i%50 == 13:
		_, err = b.post("verify-code", map[string]string{"flow": "none", "code": "123456"})
	case i%50 == 23:
		err = c.hangUp("GET /auth/signin HTTP/1.1\r\nHost: ", 0)
	case i%50 == 33:
		err = c.hangUp("GET /sick/download HTTP/1.1\r\nHost: "+c.origin[len("http://"):]+"\r\n\r\n", 4096)
	default:
		_, err = b.do("GET", often[i%len(often)], nil)
	}
	return err
}

// hangUp sends text, reads so many bytes of the answer and closes the
// connection.
func (c *crowd) hangUp(text string, read int64) error {
	conn, err := newNetwork().Dial("tcp", c.listen)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(testform.Patience))
	if _, err := io.WriteString(conn, text); err != nil {
		return err
	}
	_, err = io.CopyN(io.Discard, conn, read)
	return err
}

// holding is the resources of a process.
type holding struct{ goroutines, files, heap, rss int }

func (h holding) String() string {
	return fmt.Sprintf("goroutines %d, files %d, heap %d MiB, RSS %d MiB", h.goroutines, h.files, h.heap, h.rss)
}

// holding returns the resources of the process after the closed connections are
// forgotten. In the full form it is the minimum over a few garbage collections.
func (c *crowd) holding() holding {
	c.Helper()
	c.settled()
	b := c.browser()
	defer b.close()
	least := holding{math.MaxInt, math.MaxInt, math.MaxInt, math.MaxInt}
	collected := c.metric("go_gc_duration_seconds_count") + rounds(0, 3)
	for ended := time.Now().Add(time.Minute); ; {
		for range 100 {
			if _, err := b.do("GET", "/auth/signin", nil); err != nil {
				c.Fatal(err)
			}
			c.sent.Add(1)
		}
		rss, _ := c.rss()
		least.rss, least.files = min(least.rss, rss), min(least.files, c.files())
		least.goroutines = min(least.goroutines, c.metric("go_goroutines"))
		least.heap = min(least.heap, c.metric("go_memstats_alloc_bytes")>>20)
		if c.metric("go_gc_duration_seconds_count") >= collected || time.Now().After(ended) {
			return least
		}
	}
}

// metric returns a metric of the server.
func (p *place) metric(name string) int {
	p.Helper()
	resp, err := http.Get("http://" + p.ops + "/metrics")
	if err != nil {
		p.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	found := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindSubmatch(text)
	if found == nil {
		p.Fatalf("there is no metric %s", name)
	}
	n, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		p.Fatal(err)
	}
	return int(n)
}
