package assertion

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/json"
)

const (
	// longest is how far in the future an assertion may end.
	longest = 5 * time.Minute

	// skew is how far the client's clock may be from ours (FAPI 2.0 Security Profile
	// 5.3.2.1).
	skew = time.Minute

	maxText = 8 << 10
	maxID   = 512
)

// Wrong is why an assertion does not count, for the developer of the client.
type Wrong string

func (w Wrong) Error() string { return string(w) }

// Claim is what an assertion has proven: which client it comes from.
type Claim struct {
	ClientID string

	id    string
	until time.Time // after it, the assertion does not count in any case
}

// Assertion is an assertion whose signature was not verified.
type Assertion struct {
	ClientID string // that it names, which proves nothing

	signed *jose.JSONWebSignature
}

// Parse reads an assertion. Its errors are Wrong.
func Parse(text string) (Assertion, error) {
	if len(text) > maxText {
		return Assertion{}, Wrong("the assertion is too long")
	}
	signed, err := jose.ParseSignedCompact(text, algorithms())
	if err != nil {
		return Assertion{}, Wrong("the assertion must be a JWT that is signed with " + strings.Join(Algorithms(), ", "))
	}
	if !typed(signed) {
		return Assertion{}, Wrong("the JWT is for another purpose")
	}
	return Assertion{read(signed.UnsafePayloadWithoutVerification()).text("iss"), signed}, nil
}

// Check returns the claim of an assertion, or why it does not count: a Wrong, unless
// the keys of the client could not be loaded. It does not decide whether the assertion
// was used before. audiences are the names of this installation that count.
func (k *Keeper) Check(ctx context.Context, a Assertion, audiences []string) (Claim, error) {
	payload, err := k.payload(ctx, a)
	if err != nil {
		return Claim{}, err
	}
	return k.judge(a.ClientID, read(payload), audiences)
}

// CheckBy is Check for a client that is not in the settings, by its keys.
func (k *Keeper) CheckBy(keys Keys, a Assertion, audiences []string) (Claim, error) {
	payload, ok := keys.verify(a.signed)
	if !ok {
		return Claim{}, Wrong("the assertion is not signed with a key of the client")
	}
	return k.judge(a.ClientID, read(payload), audiences)
}

// typed accepts the types of an assertion: none, or one of two (RFC 8725 3.11).
func typed(signed *jose.JSONWebSignature) bool {
	typ, there := signed.Signatures[0].Protected.ExtraHeaders[jose.HeaderType]
	text, _ := typ.(string)
	return !there || strings.EqualFold(text, "JWT") || strings.EqualFold(text, "client-authentication+jwt")
}

// judge applies RFC 7523 3 to verified claims.
func (k *Keeper) judge(clientID string, c claims, audiences []string) (Claim, error) {
	now := k.clock.Now()
	ends, hasEnd := c.instant("exp")
	begins, hasBegin := c.instant("nbf")
	issued, hasIssue := c.instant("iat")
	id := c.text("jti")
	switch {
	case c.text("iss") != clientID || c.text("sub") != clientID:
		return Claim{}, Wrong("iss and sub must be the client_id")
	case !slices.Contains(audiences, c.text("aud")):
		return Claim{}, Wrong("aud must be the issuer of this server, as a string and not a list")
	case !hasEnd || !now.Before(ends.Add(skew)):
		return Claim{}, Wrong("the assertion has expired or has no exp")
	case ends.After(now.Add(longest + skew)):
		return Claim{}, Wrong("exp of the assertion must be within 5 minutes from now")
	case c.has("nbf") && (!hasBegin || begins.After(now.Add(skew))), c.has("iat") && (!hasIssue || issued.After(now.Add(skew))):
		return Claim{}, Wrong("the assertion is not valid yet: nbf or iat is in the future")
	case id == "" || len(id) > maxID:
		return Claim{}, Wrong("jti is missing or too long")
	}
	return Claim{ClientID: clientID, id: id, until: ends.Add(skew)}, nil
}

// claims are the members of a JWT, by their exact names.
type claims map[string]json.RawMessage

// read returns no claims for a text that is not a JSON object or has a duplicate member.
func read(payload []byte) claims {
	var c claims
	if json.Unmarshal(payload, &c) != nil {
		return nil
	}
	return c
}

func (c claims) has(name string) bool { return c[name] != nil }

// text returns "" for anything but a text.
func (c claims) text(name string) (s string) {
	if json.Unmarshal(c[name], &s) != nil {
		return ""
	}
	return s
}

// instant reads a time (RFC 7519 2). Times that no clock can have do not count.
func (c claims) instant(name string) (time.Time, bool) {
	var seconds float64
	if !c.has(name) || json.Unmarshal(c[name], &seconds) != nil || seconds < 0 || seconds > 1<<40 {
		return time.Time{}, false
	}
	return time.UnixMicro(int64(seconds * 1e6)), true
}
