package certificate

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"portico/internal/file"
	"portico/internal/legible"
)

// maxFile is the size limit of a certificate with its chain, and of a key, in bytes.
const maxFile = 1 << 20

// look is how often the files are read again.
const look = 5 * time.Second

// Files is a Source of a certificate file and a key file, both PEM. Other
// programs may replace them at any time.
type Files struct {
	cert, key string
	hosts     func() []string
	now       func() time.Time
	log       *slog.Logger

	mu   sync.Mutex
	pair *tls.Certificate
	err  error
}

// NewFiles reads the pair. It returns an error if a listener could not use it
// for the hosts.
func NewFiles(cert, key string, hosts func() []string, now func() time.Time, log *slog.Logger) (*Files, error) {
	f := &Files{cert: cert, key: key, hosts: hosts, now: now, log: log}
	var err error
	if f.pair, _, err = f.read(); err != nil {
		return nil, err
	}
	return f, nil
}

// Check returns why the pair cannot be used for the hosts, or nil.
func Check(cert, key string, hosts []string, now time.Time) error {
	_, _, err := (&Files{cert: cert, key: key, hosts: func() []string { return hosts }, now: func() time.Time { return now }}).read()
	return err
}

// read reads and judges the pair. There says that both files could be read.
func (f *Files) read() (pair *tls.Certificate, there bool, err error) {
	cert, err := file.Read(f.cert, maxFile)
	if err != nil {
		return nil, false, err
	}
	key, err := file.Read(f.key, maxFile)
	if err != nil {
		return nil, false, err
	}
	read, err := tls.X509KeyPair(legible.Unmark(cert), legible.Unmark(key))
	if err != nil {
		return nil, true, fmt.Errorf("%s and %s do not belong together: %w", f.cert, f.key, err)
	}
	return &read, true, f.judge(read.Leaf)
}

func (f *Files) judge(leaf *x509.Certificate) error {
	now := f.now()
	switch {
	case now.After(leaf.NotAfter):
		return fmt.Errorf("the certificate in %s expired on %s", f.cert, leaf.NotAfter.Format(time.DateOnly))
	case now.Before(leaf.NotBefore):
		return fmt.Errorf("the certificate in %s is valid from %s", f.cert, leaf.NotBefore.Format(time.DateTime))
	}
	for _, host := range f.hosts() {
		if err := leaf.VerifyHostname(host); err != nil {
			return fmt.Errorf("the certificate in %s does not name %s", f.cert, host)
		}
	}
	return nil
}

// TLS implements Source.
func (f *Files) TLS() *tls.Config {
	return settings(func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.pair, nil
	})
}

// Watch implements Source.
func (f *Files) Watch(ctx context.Context) {
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			f.refresh()
		}
	}
}

// refresh takes the pair on the disk if it can be used. It judges a pair that
// cannot be used each time, because a program may write the two files one after
// the other, and logs an error once. A new key has a new certificate.
func (f *Files) refresh() {
	pair, there, err := f.read()
	f.mu.Lock()
	defer f.mu.Unlock()
	known := f.err
	f.err = err
	switch {
	case err != nil && known != nil && known.Error() == err.Error(): // logged
	case err != nil && !there:
		f.log.Error("the files of the certificate cannot be read: it stays in use", "error", err)
	case err != nil && pair != nil && pair.Leaf.Equal(f.pair.Leaf):
		f.log.Error("the certificate cannot be used any more, and stays until it is renewed", "error", err)
	case err != nil:
		f.log.Error("the new certificate cannot be used: the old one stays", "error", err)
	case !slices.EqualFunc(pair.Certificate, f.pair.Certificate, bytes.Equal): // with its chain
		f.pair = pair
		f.log.Info("a new certificate is in use", "file", f.cert, "expires", pair.Leaf.NotAfter)
	case known != nil:
		f.log.Info("the files can be used again: they have the certificate that is in use", "file", f.cert)
	}
}

// States implements Source.
func (f *Files) States() []State {
	f.mu.Lock()
	defer f.mu.Unlock()
	state := State{Name: f.cert, Expires: f.pair.Leaf.NotAfter, Err: f.err}
	if state.Err == nil && f.now().After(state.Expires) {
		state.Err = errors.New("it has expired")
	}
	return []State{state}
}
