package federation

import (
	"testing"

	"github.com/go-jose/go-jose/v4"
)

// The example of OpenID Connect Core, A.3: its access token and code.
func TestHalfHash(t *testing.T) {
	t.Parallel()
	if got := halfHash(jose.RS256, "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y"); got != "77QmUPtjPfzWtF2AnpK9RQ" {
		t.Errorf("at_hash is %s", got)
	}
	if got := halfHash(jose.RS256, "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk"); got != "LDktKdoQak3Pk0cnXxCltA" {
		t.Errorf("c_hash is %s", got)
	}
	for alg, length := range map[jose.SignatureAlgorithm]int{jose.PS256: 22, jose.ES384: 32, jose.RS512: 43, jose.EdDSA: 43} {
		if got := halfHash(alg, "x"); len(got) != length {
			t.Errorf("%s has %d characters, want %d", alg, len(got), length)
		}
	}
}

// An ID token that was made for another access token or code is refused.
func TestHashesOfTheGrant(t *testing.T) {
	t.Parallel()
	right := func(value string) string { return quote(halfHash(jose.ES256, value)) }
	for name, c := range map[string]struct {
		claim, value string
		ok           bool
	}{
		"at_hash":                   {"at_hash", right("the-access-token"), true},
		"at_hash of another token":  {"at_hash", right("another"), false},
		"at_hash of the whole hash": {"at_hash", quote(halfHash(jose.RS512, "the-access-token")), false},
		"at_hash empty":             {"at_hash", `""`, false},
		"at_hash null":              {"at_hash", "null", false},
		"c_hash":                    {"c_hash", right("code-1"), true},
		"c_hash of another code":    {"c_hash", right("code-2"), false},
		"c_hash that is not a text": {"c_hash", "7", false},
		"at_hash with a padding":    {"at_hash", quote(halfHash(jose.ES256, "the-access-token") + "=="), false},
	} {
		b := setup(t)
		b.op.claims[c.claim] = c.value
		_, err := b.signIn()
		if c.ok {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		want(t, err, CodeRejected, c.claim)
	}
}
