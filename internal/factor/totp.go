package factor

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"hash"
	"net/url"
	"strings"
	"time"
)

// Digits of a time-based code. One from another system may have up to MostDigits.
const (
	Digits     = 6
	MostDigits = 8
)

// Period is the length of a time step in seconds. A code is valid in its step and in
// one step each way (NIST SP 800-63B-4 3.1.4, RFC 6238 5.2).
const Period = 30

// Form is how an authenticator app makes its codes.
type Form struct {
	Digits    int
	Period    int // seconds
	Algorithm string
}

// Standard is the form that all authenticator apps know.
func Standard() Form { return Form{Digits: Digits, Period: Period, Algorithm: "SHA1"} }

// Usable reports whether codes of the form can be typed and checked. A longer period
// would make a code valid for minutes.
func (f Form) Usable() bool {
	return Digits <= f.Digits && f.Digits <= MostDigits && 15 <= f.Period && f.Period <= 60 && f.hash() != nil
}

// hash returns the hash function of the form, or nil.
func (f Form) hash() func() hash.Hash {
	switch f.Algorithm {
	case "SHA1":
		return sha1.New
	case "SHA256":
		return sha256.New
	case "SHA512":
		return sha512.New
	}
	return nil
}

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

// leastSecret is 80 bits, which some systems still give out. RFC 4226 4 asks for 128.
const (
	leastSecret = 10
	mostSecret  = 128
)

// ParseSecret returns the secret of another system: base32 in any case, with blanks and padding or without.
func ParseSecret(text string) (Secret, bool) {
	if len(text) > 2*mostSecret {
		return nil, false
	}
	text = strings.TrimRight(strings.ToUpper(strings.ReplaceAll(text, " ", "")), "=")
	s, err := plainBase32.DecodeString(text)
	return s, err == nil && leastSecret <= len(s) && len(s) <= mostSecret
}

// At returns the standard code of the secret at a time.
func (s Secret) At(t time.Time) string { return s.In(Standard(), t) }

// In returns the code of the secret in a form at a time.
func (s Secret) In(f Form, t time.Time) string { return s.code(f, t.Unix()/int64(f.Period)) }

// code computes HOTP (RFC 4226 5.3). SHA-1 is what authenticator apps support. Its
// collisions do not weaken HMAC.
func (s Secret) code(f Form, step int64) string {
	mac := hmac.New(f.hash(), s)
	_ = binary.Write(mac, binary.BigEndian, step) // writing to a hash never fails
	sum := mac.Sum(nil)
	at := sum[len(sum)-1] & 0x0f
	power := uint32(1)
	for range f.Digits {
		power *= 10
	}
	return fmt.Sprintf("%0*d", f.Digits, binary.BigEndian.Uint32(sum[at:at+4])&0x7fffffff%power)
}

// step returns the time step of a code that is valid at a time. All three are
// computed, so that the time of the check does not tell which one was right.
func (s Secret) step(f Form, digits string, now time.Time) (step int64, ok bool) {
	if !f.Usable() {
		return 0, false
	}
	current := now.Unix() / int64(f.Period)
	for _, n := range []int64{current - 1, current + 1, current} {
		if subtle.ConstantTimeCompare([]byte(s.code(f, n)), []byte(digits)) == 1 {
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
