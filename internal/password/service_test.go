package password

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"

	"portico/internal/breach"
	"portico/internal/secret"
)

// keyOf returns the master key whose 32 bytes are all b.
func keyOf(t testing.TB, b byte) *secret.Key {
	t.Helper()
	raw := make([]byte, 32)
	for i := range raw {
		raw[i] = b
	}
	path := filepath.Join(t.TempDir(), "secret.key")
	if err := os.WriteFile(path, []byte(base64.StdEncoding.EncodeToString(raw)), 0o600); err != nil {
		t.Fatal(err)
	}
	key, err := secret.ReadKey(path)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// newService returns a Service with the lowest cost and the real list, after
// change.
func newService(t testing.TB, change func(*Config)) *Service {
	t.Helper()
	list, err := breach.Load()
	if err != nil {
		t.Fatal(err)
	}
	config := Config{Key: keyOf(t, 1), Breached: list, Names: []string{"Portico", "login.portico.test"}}
	if change != nil {
		change(&config)
	}
	s, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func hashOf(t testing.TB, s *Service, password string) string {
	t.Helper()
	encoded, err := s.Hash(t.Context(), password)
	if err != nil {
		t.Fatalf("Hash(%q): %v", password, err)
	}
	return encoded
}

func verify(t testing.TB, s *Service, encoded, password string) (ok, rehash bool) {
	t.Helper()
	ok, rehash, err := s.Verify(t.Context(), encoded, password)
	if err != nil {
		t.Fatalf("Verify(%q): %v", password, err)
	}
	return ok, rehash
}
