package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// upstreamApp is the app behind the proxies: a page of a kilobyte, bodies of
// any length, and WebSockets that echo.
func upstreamApp(context.Context, []string) error {
	body := []byte(strings.Repeat("x", 1024))
	sum := sha256.Sum256(body)
	return serveLimit(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case pourPath:
			pour(w, r)
			return
		case pipePath:
			pipe(w)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "text/plain; charset=utf-8")
		h.Set("Content-Length", strconv.Itoa(len(body)))
		h.Set("Cache-Control", "no-cache")
		h.Set("Etag", hex.EncodeToString(sum[:8]))
		_, _ = w.Write(body)
	}))
}

// proxyLimit is the reverse proxy of the standard library, with the product's
// settings. It checks no session.
func proxyLimit(_ context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("the address of the app is missing")
	}
	buffers := &lent{sync.Pool{New: func() any { return new([32 << 10]byte) }}}
	proxy := &httputil.ReverseProxy{
		BufferPool: buffers,
		Transport: &http.Transport{
			DialContext: (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext, DisableCompression: true,
			MaxIdleConnsPerHost: 256, IdleConnTimeout: 90 * time.Second, ResponseHeaderTimeout: time.Minute, ReadBufferSize: 4 << 10, WriteBufferSize: 4 << 10,
		},
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: args[0]})
			r.SetXForwarded()
		},
	}
	return serveLimit(proxy)
}

// lent is a pool of buffers.
type lent struct{ pool sync.Pool }

func (l *lent) Get() []byte  { return l.pool.Get().(*[32 << 10]byte)[:] }
func (l *lent) Put(p []byte) { l.pool.Put((*[32 << 10]byte)(p)) }
