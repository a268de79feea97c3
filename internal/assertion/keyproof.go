package assertion

import (
	"context"
	"crypto"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"portico/internal/origin"
	"portico/internal/secret"
)

const (
	// proofType is the type of a key proof (RFC 9449 4.2).
	proofType = "dpop+jwt"

	// proofLife is how long a key proof counts, between clocks that agree.
	proofLife = time.Minute

	maxProof = 4 << 10
)

// KeyProof shows that the sender of a request has a key (DPoP, RFC 9449). The zero
// value shows nothing.
type KeyProof struct {
	Key string // its thumbprint (RFC 7638) in base64url; "" for none

	id    string
	until time.Time // after it, the proof does not count in any case
}

// Use is the request that a key proof stands in.
type Use struct {
	Method string
	URL    string // as clients write it, without query
	Token  string // the access token that the request has, if any
}

// ProofAlgorithms returns the algorithms that a key proof may be signed with. FAPI 2.0
// (5.4.1) names them. No older clients need RS256 here.
func ProofAlgorithms() []string {
	var names []string
	for _, a := range proofAlgorithms() {
		names = append(names, string(a))
	}
	return names
}

func proofAlgorithms() []jose.SignatureAlgorithm {
	return []jose.SignatureAlgorithm{jose.ES256, jose.PS256, jose.EdDSA}
}

// CheckProof returns the key of a proof for a request, or a Wrong. It does not decide
// whether the proof was used before. Anybody can make a key, so what the key may do is
// for the caller to judge.
func (k *Keeper) CheckProof(text string, use Use) (KeyProof, error) {
	if len(text) > maxProof {
		return KeyProof{}, Wrong("the DPoP proof is too long")
	}
	signed, err := jose.ParseSignedCompact(text, proofAlgorithms())
	if err != nil {
		return KeyProof{}, Wrong("the DPoP proof must be a JWT that is signed with " + strings.Join(ProofAlgorithms(), ", "))
	}
	header := signed.Signatures[0].Protected
	key := header.JSONWebKey
	switch {
	case header.ExtraHeaders[jose.HeaderType] != proofType:
		return KeyProof{}, Wrong("typ of the DPoP proof must be " + proofType)
	case key == nil || !key.IsPublic() || !slices.Contains(kinds(*key), jose.SignatureAlgorithm(header.Algorithm)):
		return KeyProof{}, Wrong("the header of the DPoP proof needs a public key in jwk that matches its alg")
	}
	payload, err := signed.Verify(key.Key)
	if err != nil {
		return KeyProof{}, Wrong("the DPoP proof is not signed with the key in it")
	}
	sum, err := key.Thumbprint(crypto.SHA256)
	if err != nil {
		return KeyProof{}, Wrong("the key in the DPoP proof has no thumbprint")
	}
	return k.judgeProof(secret.Encode(sum), read(payload), use)
}

// judgeProof applies RFC 9449 4.3 to verified claims.
func (k *Keeper) judgeProof(key string, c claims, use Use) (KeyProof, error) {
	now := k.clock.Now()
	issued, ok := c.instant("iat")
	id := c.text("jti")
	switch {
	case c.text("htm") != use.Method:
		return KeyProof{}, Wrong("htm of the DPoP proof must be the method of the request")
	case !sameURL(c.text("htu"), use.URL):
		return KeyProof{}, Wrong("htu of the DPoP proof must be " + use.URL)
	case !ok || issued.After(now.Add(skew)):
		return KeyProof{}, Wrong("iat of the DPoP proof is missing or in the future")
	case !now.Before(issued.Add(proofLife + skew)):
		return KeyProof{}, Wrong("the DPoP proof is too old: make one for each request")
	case id == "" || len(id) > maxID:
		return KeyProof{}, Wrong("jti of the DPoP proof is missing or too long")
	case use.Token != "" && c.text("ath") != secret.Encode(secret.Hash(use.Token)):
		return KeyProof{}, Wrong("ath of the DPoP proof must be the hash of the access token")
	}
	return KeyProof{Key: key, id: id, until: issued.Add(proofLife + skew)}, nil
}

// sameURL compares the address in a proof with the address of the request: without query
// and fragment, and after the normalization that keeps the meaning (RFC 9449 4.3).
func sameURL(claimed, want string) bool {
	u, err := url.Parse(claimed)
	if err != nil || u.User != nil || u.Opaque != "" {
		return false
	}
	return origin.Of(u)+u.EscapedPath() == want
}

// SpendProof reports whether this is the first use of a proof. The zero proof can be
// used again.
func (k *Keeper) SpendProof(ctx context.Context, tx Store, p KeyProof) (bool, error) {
	if p.Key == "" {
		return true, nil
	}
	return tx.SpendTicket(ctx, secret.Hash("openid key proof "+p.Key+" "+p.id), p.until)
}
