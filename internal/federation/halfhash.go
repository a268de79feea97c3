package federation

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"fmt"

	"github.com/go-jose/go-jose/v4"
)

// judgeHashes refuses an ID token whose hashes do not match the access token and the code
// of the grant (OpenID Connect Core 3.1.3.6, 3.3.2.11). A provider may omit both claims.
func judgeHashes(claims object, alg jose.SignatureAlgorithm, g grant) error {
	for name, value := range map[string]string{"at_hash": g.token.AccessToken, "c_hash": g.answer.code} {
		if claims.has(name) && claims.text(name) != halfHash(alg, value) {
			return fmt.Errorf("the %s of the ID token does not match", name)
		}
	}
	return nil
}

// halfHash returns the left half of the hash that belongs to an algorithm.
func halfHash(alg jose.SignatureAlgorithm, value string) string {
	var sum []byte
	switch alg {
	case jose.RS256, jose.PS256, jose.ES256:
		s := sha256.Sum256([]byte(value))
		sum = s[:]
	case jose.RS384, jose.PS384, jose.ES384:
		s := sha512.Sum384([]byte(value))
		sum = s[:]
	default: // RS512, PS512, ES512, and EdDSA with its curve Ed25519
		s := sha512.Sum512([]byte(value))
		sum = s[:]
	}
	return base64.RawURLEncoding.EncodeToString(sum[:len(sum)/2])
}
