package factor

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Digits of a time-based code.
const Digits = 6

// Period is the length of a time step in seconds. A code is valid in its step and in
// one step each way (NIST SP 800-63B-4 3.1.4, RFC 6238 5.2).
const Period = 30

// Secret is the shared secret of an authenticator app: 160 bits (RFC 4226 4).
type Secret []byte

var plainBase32 = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewSecret returns a random secret.
func NewSecret() Secret {
	s := make(Secret, 20)
	_, _ = rand.Read(s) // never fails
	return s
}

// Text returns the secret for typing, in groups of four characters.
func (s Secret) Text() string { return grouped(plainBase32.EncodeToString(s), " ") }

// URI returns the address that a QR code carries to the app. Both names are shown
// there. The colon separates them, so neither can have one.
func (s Secret) URI(site, address string) string {
	site, address = strings.ReplaceAll(site, ":", " "), strings.ReplaceAll(address, ":", " ")
	query := url.Values{"secret": {plainBase32.EncodeToString(s)}, "issuer": {site}}
	// Some apps take a plus sign literally.
	return "otpauth://totp/" + url.PathEscape(site+":"+address) + "?" + strings.ReplaceAll(query.Encode(), "+", "%20")
}

// At returns the code of the secret at a time.
func (s Secret) At(t time.Time) string { return s.code(t.Unix() / Period) }

// code computes HOTP (RFC 4226 5.3). SHA-1 is what authenticator apps support. Its
// collisions do not weaken HMAC.
func (s Secret) code(step int64) string {
	mac := hmac.New(sha1.New, s)
	_ = binary.Write(mac, binary.BigEndian, step) // writing to a hash never fails
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 0x0f
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[at:at+4])&0x7fffffff%1_000_000)
}

// step returns the time step of a code that is valid at a time. All three are
// computed, so that the time of the check does not tell which one was right.
func (s Secret) step(digits string, now time.Time) (step int64, ok bool) {
	current := now.Unix() / Period
	for _, n := range []int64{current - 1, current + 1, current} {
		if subtle.ConstantTimeCompare([]byte(s.code(n)), []byte(digits)) == 1 {
			step, ok = n, true
		}
	}
	return step, ok
}

// grouped writes a text in groups of four.
func grouped(text, between string) string {
	var groups []string
	for len(text) > 4 {
		groups, text = append(groups, text[:4]), text[4:]
	}
	return strings.Join(append(groups, text), between)
}
