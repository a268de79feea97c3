package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

const (
	headerTimeout  = 5 * time.Second  // from the first byte of a request to the end of its header
	readTimeout    = 15 * time.Second // to the end of a body, until its length is known: bodyTimeout
	writeTimeout   = 30 * time.Second // from the end of the header to the end of the answer
	handlerTimeout = 20 * time.Second // of the work for an answer; then there is still time to say so
	idleTimeout    = 75 * time.Second // between requests; browsers and proxies close after about 60 s

	// maxHeader is the most bytes of a request's header. It leaves room beside
	// maxCookies, so that too many cookies still get an answer of ours. net/http
	// adds 4 KiB to what it is told.
	maxHeader = 28 << 10
)

// NewServer returns an HTTP/1.1 server with the limits above, for one
// listener. HTTP/2 without TLS is off; TLS ends at the proxy in front.
func NewServer(h http.Handler, log *slog.Logger) *http.Server {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Server{
		Handler:                      h,
		Protocols:                    protocols,
		ReadHeaderTimeout:            headerTimeout,
		ReadTimeout:                  readTimeout,
		WriteTimeout:                 writeTimeout,
		IdleTimeout:                  idleTimeout,
		MaxHeaderBytes:               maxHeader,
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// bodyTimeout returns how long a body of so many bytes may take. The longest
// that a route takes by default has readTimeout; who dribbles a short one is
// not waited for that long.
func bodyTimeout(length int64) time.Duration {
	const grace, bytesPerSecond = 7 * time.Second, 2 << 10
	return grace + time.Duration(length)*time.Second/bytesPerSecond
}

// Serve answers on the listener until ctx is done. Then it asks its clients to
// end their connections, for as long as drain, takes no new ones, waits up to
// grace for requests under way, and closes what is left, which it reports as an
// error.
func Serve(ctx context.Context, s *http.Server, l net.Listener, drain, grace time.Duration) error {
	d := newDrain(ctx, s)
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	d.wait(drain)
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	err := s.Shutdown(stopping)
	if err != nil {
		err = errors.Join(fmt.Errorf("requests were cut off after %s: %w", grace, err), s.Close())
	}
	<-failed // http.ErrServerClosed
	return err
}
