package certificate

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
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

	mu      sync.Mutex
	pair    *tls.Certificate
	content [sha256.Size]byte // of both files, when they were last judged
	err     error
}

// NewFiles reads the pair. It returns an error if a listener could not use it
// for the hosts.
func NewFiles(cert, key string, hosts func() []string, now func() time.Time, log *slog.Logger) (*Files, error) {
	f := &Files{cert: cert, key: key, hosts: hosts, now: now, log: log}
	pair, content, err := f.read()
	if err != nil {
		return nil, err
	}
	f.pair, f.content = pair, content
	return f, nil
}

// Check returns why the pair cannot be used for the hosts, or nil.
func Check(cert, key string, hosts []string, now time.Time) error {
	_, _, err := (&Files{cert: cert, key: key, hosts: func() []string { return hosts }, now: func() time.Time { return now }}).read()
	return err
}

// read reads and judges the pair. The content is known even if the pair is
// wrong.
func (f *Files) read() (*tls.Certificate, [sha256.Size]byte, error) {
	cert, err := file.Read(f.cert, maxFile)
	if err != nil {
		return nil, [sha256.Size]byte{}, err
	}
	key, err := file.Read(f.key, maxFile)
	if err != nil {
		return nil, [sha256.Size]byte{}, err
	}
	content := sha256.Sum256(append(append([]byte{}, cert...), key...))
	pair, err := tls.X509KeyPair(legible.Unmark(cert), legible.Unmark(key))
	if err != nil {
		return nil, content, fmt.Errorf("%s and %s do not belong together: %w", f.cert, f.key, err)
	}
	return &pair, content, f.judge(pair.Leaf)
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
// the other, and logs an error once.
func (f *Files) refresh() {
	pair, content, err := f.read()
	f.mu.Lock()
	defer f.mu.Unlock()
	same, known := content == f.content, f.err
	f.content, f.err = content, err
	switch {
	case err != nil && known != nil && known.Error() == err.Error(): // logged
	case err != nil && pair != nil && pair.Leaf.Equal(f.pair.Leaf):
		f.log.Error("the certificate cannot be used any more, and stays until it is renewed", "error", err)
	case err != nil:
		f.log.Error("the new certificate cannot be used: the old one stays", "error", err)
	case !same || known != nil:
		f.pair = pair
		f.log.Info("a new certificate is in use", "file", f.cert, "expires", pair.Leaf.NotAfter)
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
