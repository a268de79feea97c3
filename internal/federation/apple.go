package federation

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// appleSecretLife is short because a secret is made for each exchange.
const appleSecretLife = 5 * time.Minute

// appleSecret returns a function that makes Apple's client secret, a JWT signed
// with the key of the developer account. A fixed secret would expire after six
// months at most.
func appleSecret(pc ProviderConfig, audience string) (func(time.Time) (string, error), error) {
	block, _ := pem.Decode([]byte(pc.PrivateKey))
	if block == nil {
		return nil, errors.New("is not a PEM file")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, ok := parsed.(*ecdsa.PrivateKey)
	if err != nil || !ok || key.Curve != elliptic.P256() {
		return nil, errors.New("is not a P-256 key in PKCS #8")
	}
	signer, err := jose.NewSigner(
		jose.SigningKey{Algorithm: jose.ES256, Key: key},
		(&jose.SignerOptions{}).WithHeader("kid", pc.KeyID),
	)
	if err != nil {
		return nil, err
	}
	return func(now time.Time) (string, error) {
		return jwt.Signed(signer).Claims(jwt.Claims{
			Issuer:   pc.TeamID,
			Subject:  pc.ClientID,
			Audience: jwt.Audience{audience},
			IssuedAt: jwt.NewNumericDate(now),
			Expiry:   jwt.NewNumericDate(now.Add(appleSecretLife)),
		}).Serialize()
	}, nil
}

// postedName returns the name that Apple posts with the callback, at a user's
// first sign-in only. It is not signed, so the address next to it is not read.
func postedName(user string) string {
	o, err := parseObject([]byte(user))
	if err != nil {
		return ""
	}
	name, err := parseObject(o["name"])
	if err != nil {
		return ""
	}
	return displayName(name.text("firstName") + " " + name.text("lastName"))
}
