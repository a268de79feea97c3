package cli

import "testing"

// The usual sender is at the domain that somebody has registered.
func TestSender(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://login.example.com": "no-reply@example.com", "https://example.com": "no-reply@example.com", "https://a.b.example.co.uk": "no-reply@example.co.uk",
		"https://example.co.uk": "no-reply@example.co.uk", "https://anmeldung.müller.de:8443": "no-reply@xn--mller-kva.de",
		"https://192.168.1.5": "", "http://127.0.0.1:8080": "", "http://[::1]:8080": "", "http://localhost": "", "https://co.uk": "",
	} {
		if got := (answers{PublicURL: address}).sender(); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}
