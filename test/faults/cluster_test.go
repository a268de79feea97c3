package faults

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// cluster is several nodes on one PostgreSQL behind a load balancer. As a place
// it is the installation that clients see, with the common origin.
type cluster struct {
	*onPostgres
	nodes []*place
	front *balancer
}

// newCluster prepares nodes and starts none. extra is environment for all of
// them.
func newCluster(t *testing.T, p *onPostgres, nodes int, extra ...string) *cluster {
	t.Helper()
	c := &cluster{onPostgres: p, front: newBalancer()}
	server := httptest.NewServer(c.front)
	t.Cleanup(func() {
		server.Close()
		c.front.transport.CloseIdleConnections()
	})
	c.listen = server.Listener.Addr().String()
	c.origin = "http://" + strings.Replace(c.listen, "127.0.0.1", "localhost", 1)
	for range nodes {
		n := *c.place
		n.listen, n.ops = freePort(t), freePort(t)
		n.extra = append(append(n.extra[:len(n.extra):len(n.extra)], "PORTICO_TRUSTED_PROXIES=127.0.0.1/32"), extra...)
		c.nodes = append(c.nodes, &n)
		c.front.nodes = append(c.front.nodes, &behind{place: &n})
	}
	return c
}

// serveAs starts another binary than the tested one and waits until it is
// ready.
func (p *place) serveAs(program string) *process {
	p.Helper()
	return p.run(exec.Command(program, "serve"))
}

// balancer sends requests to the nodes in turn. Like real balancers, it checks
// the readiness of each node, and sends a request that a node did not take to
// another node, once.
type balancer struct {
	httputil.ReverseProxy
	nodes     []*behind
	turn      atomic.Uint64
	again     atomic.Int64 // requests that went to a second node
	transport *http.Transport
}

// behind is a node and its state at the balancer.
type behind struct {
	*place
	unready atomic.Bool
}

func newBalancer() *balancer {
	b := &balancer{transport: &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}}
	b.Transport = b
	b.Rewrite = func(r *httputil.ProxyRequest) {
		r.Out.Host, r.Out.URL.Scheme = r.In.Host, "http"
		r.SetXForwarded()
	}
	return b
}

// watch checks the readiness of the nodes until stop is closed.
func (b *balancer) watch(stop <-chan struct{}) {
	for {
		for _, n := range b.nodes {
			ok := false
			if resp, err := http.Get("http://" + n.ops + "/readyz"); err == nil {
				_ = resp.Body.Close()
				ok = resp.StatusCode == http.StatusOK
			}
			n.unready.Store(!ok)
		}
		select {
		case <-stop:
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// next returns the node for the next request. It skips the node that was tried
// already, and prefers a ready node.
func (b *balancer) next(tried *behind) (n *behind) {
	for range 2 * len(b.nodes) {
		n = b.nodes[b.turn.Add(1)%uint64(len(b.nodes))]
		if n != tried && !n.unready.Load() {
			return n
		}
	}
	for n == tried {
		n = b.nodes[b.turn.Add(1)%uint64(len(b.nodes))]
	}
	return n
}

// RoundTrip implements http.RoundTripper.
func (b *balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	var n *behind
	for try := 1; ; try++ {
		n = b.next(n)
		out := r.Clone(r.Context())
		out.URL.Host = n.listen
		if r.Body != nil {
			out.Body = io.NopCloser(bytes.NewReader(body))
		}
		resp, err := b.transport.RoundTrip(out)
		refused := errors.Is(err, syscall.ECONNREFUSED) || err == nil && resp.StatusCode == http.StatusServiceUnavailable
		if !refused || try == 2 {
			return resp, err
		}
		if err == nil {
			_ = resp.Body.Close()
		}
		b.again.Add(1)
	}
}
