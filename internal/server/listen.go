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
	headerTimeout  = 5 * time.Second  // from the first byte of a request to the end of its headers
	readTimeout    = 15 * time.Second // to the end of a body of unknown length; see bodyTimeout
	uploadTimeout  = 60 * time.Second // to the end of the largest body that a form may have
	writeTimeout   = 30 * time.Second // from the end of the headers to the end of the response
	handlerTimeout = 20 * time.Second // for a handler; leaves time to send an error
	StallTimeout   = 60 * time.Second // for one write of an app's response, and any on an HTTP/2 connection; nginx has the same
	idleTimeout    = 75 * time.Second // between requests; browsers and proxies close after about 60 s

	// maxHeader is the size limit of request headers in bytes. It is larger
	// than maxCookies, so that a request with too many cookies still gets
	// Portico's response. net/http adds 4 KiB to the value.
	maxHeader = 28 << 10
)

// NewServer returns an HTTP/1.1 server with the limits above, for one listener.
// HTTP/2 and TLS are the task of the proxy in front, or of NewTLSServer.
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

// bodyTimeout returns the time limit for a body of length bytes. A body of
// defaultMaxBody gets readTimeout; shorter bodies get less, so that slow
// clients are dropped sooner. No body gets more than uploadTimeout.
func bodyTimeout(length int64) time.Duration {
	const grace, bytesPerSecond = 7 * time.Second, 2 << 10
	return min(grace+time.Duration(length)*time.Second/bytesPerSecond, uploadTimeout)
}

// Serve serves on the listener until ctx is done. For the time drain it then
// still accepts connections, also when none is open, and asks clients to close
// theirs. After that it stops accepting, waits up to grace for open requests, and
// closes the remaining connections. It returns an error if requests were cut off
// or if the listener failed.
func Serve(ctx context.Context, s *http.Server, l net.Listener, drain, grace time.Duration) error {
	s.Handler = closing(ctx, s.Handler)
	failed := make(chan error, 1)
	go func() {
		if s.TLSConfig != nil {
			failed <- s.ServeTLS(l, "", "")
			return
		}
		failed <- s.Serve(l)
	}()
	broken := func(err error) error { return fmt.Errorf("serve %s: %w", l.Addr(), err) }
	select {
	case err := <-failed:
		return broken(err)
	case <-ctx.Done():
	}
	select {
	case err := <-failed:
		return broken(err)
	case <-time.After(drain):
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	err := s.Shutdown(stopping)
	if err != nil {
		err = errors.Join(fmt.Errorf("requests were cut off after %s: %w", grace, err), s.Close())
	}
	<-failed // returns http.ErrServerClosed
	return err
}
