package certificate

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var today = time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)

// pair returns a certificate for a host and its key, in PEM.
func pair(t *testing.T, host string, from, to time.Time) (cert, key []byte) {
	t.Helper()
	signer, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(to.Unix()), DNSNames: []string{host}, NotBefore: from, NotAfter: to}
	der, err := x509.CreateCertificate(rand.Reader, leaf, leaf, signer.Public(), signer)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(signer)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})
}

// A pair that replaces the files is used if it can be; otherwise the old one
// stays, and the state and the log say why.
func TestFiles_Refresh(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	put := func(cert, key []byte) {
		for path, data := range map[string][]byte{certFile: cert, keyFile: key} {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	first, firstKey := pair(t, "a.test", today.Add(-time.Hour), today.Add(24*time.Hour))
	mark := "\ufeff" // as some editors save
	put([]byte(mark+string(first)), []byte(mark+string(firstKey)))
	var log bytes.Buffer
	now := today
	f, err := NewFiles(certFile, keyFile, func() []string { return []string{"a.test"} }, func() time.Time { return now }, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	serial := func() int64 {
		c, err := f.TLS().GetCertificate(&tls.ClientHelloInfo{})
		if err != nil {
			t.Fatal(err)
		}
		return c.Leaf.SerialNumber.Int64()
	}
	old := serial()
	next, nextKey := pair(t, "a.test", today.Add(-time.Hour), today.Add(48*time.Hour))
	expired, expiredKey := pair(t, "a.test", today.Add(-2*time.Hour), today.Add(-time.Hour))
	later, laterKey := pair(t, "a.test", today.Add(time.Hour), today.Add(72*time.Hour))
	foreign, foreignKey := pair(t, "b.test", today.Add(-time.Hour), today.Add(48*time.Hour))
	for name, files := range map[string][2][]byte{
		"do not belong together": {next, firstKey},
		"expired on":             {expired, expiredKey},
		"is valid from":          {later, laterKey},
		"does not name a.test":   {foreign, foreignKey},
		"failed to find any":     {[]byte("half of a file"), nextKey},
	} {
		log.Reset()
		put(files[0], files[1])
		f.refresh()
		f.refresh()
		state := f.States()[0]
		if serial() != old || state.Err == nil || !strings.Contains(state.Err.Error(), name) {
			t.Errorf("%s: serial %d, want %d, and %v", name, serial(), old, state.Err)
		}
		if strings.Count(log.String(), "the old one stays") != 1 {
			t.Errorf("%s: the log says\n%s", name, &log)
		}
	}
	says := func(what, want string) {
		t.Helper()
		log.Reset()
		f.refresh()
		f.refresh()
		if text := log.String(); serial() != old || strings.Count(text, want) != 1 || strings.Count(text, "\n") != 1 {
			t.Errorf("%s: serial %d, want %d, and the log says\n%s", what, serial(), old, text)
		}
	}
	put(first, firstKey)
	says("the former pair", "the files can be used again")
	if err := os.Remove(keyFile); err != nil {
		t.Fatal(err)
	}
	says("no key", "cannot be read: it stays")
	put(first, firstKey)
	says("the same pair", "the files can be used again")
	put(slices.Concat(first, next), firstKey)
	says("another chain", "a new certificate is in use")
	put(next, nextKey)
	f.refresh()
	if state := f.States()[0]; serial() == old || state.Err != nil || !state.Expires.Equal(today.Add(48*time.Hour)) {
		t.Errorf("a good pair after a bad one: %+v", state)
	}
	log.Reset()
	now = today.Add(49 * time.Hour)
	f.refresh()
	f.refresh()
	if text := log.String(); strings.Count(text, "cannot be used any more") != 1 || !strings.Contains(text, "expired on") || strings.Contains(text, "new certificate") {
		t.Errorf("the pair has expired: the log says\n%s", text)
	}
}

// A listener takes TLS 1.2 at least, and speaks 1.3 with whoever can.
func TestTLS_NothingOld(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	cert, key := pair(t, "a.test", today.Add(-time.Hour), today.Add(24*time.Hour))
	for path, data := range map[string][]byte{certFile: cert, keyFile: key} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := NewFiles(certFile, keyFile, func() []string { return []string{"a.test"} }, func() time.Time { return today }, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		client  *tls.Config
		version uint16 // 0 for a refusal
	}{
		"a browser of today": {&tls.Config{}, tls.VersionTLS13},
		"TLS 1.2":            {&tls.Config{MaxVersion: tls.VersionTLS12}, tls.VersionTLS12},
		"TLS 1.1":            {&tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, 0},
	} {
		here, there := net.Pipe()
		var serving sync.WaitGroup
		serving.Go(func() { _ = tls.Server(there, f.TLS()).HandshakeContext(t.Context()) }) // what counts is what the client sees
		c.client.InsecureSkipVerify = true
		client := tls.Client(here, c.client)
		err := client.HandshakeContext(t.Context())
		_ = here.Close()
		serving.Wait()
		if got := client.ConnectionState().Version; (err == nil) != (c.version > 0) || err == nil && got != c.version {
			t.Errorf("%s: version %#x, want %#x: %v", name, got, c.version, err)
		}
	}
}

func TestNewFiles_Refuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := NewFiles(filepath.Join(dir, "no"), filepath.Join(dir, "no"), func() []string { return nil }, time.Now, nil); err == nil {
		t.Error("files that do not exist")
	}
}
