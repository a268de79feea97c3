package openid_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"portico/internal/openid"
	"portico/internal/secret"
)

// While a secret is changed, both count. None counts for a client with a key.
func TestAuthenticate_TwoSecrets(t *testing.T) {
	t.Parallel()
	first, second, third := strings.Repeat("a", 24), strings.Repeat("b", 24), strings.Repeat("c", 24)
	counts := func(s openid.Secrets, text string) bool {
		client, err := openid.NewClient(openid.Client{ID: "rp"}, s)
		if err != nil {
			t.Fatal(err)
		}
		_, err = openid.NewClients([]openid.Client{client}).Authenticate(openid.Proof{ID: "rp", Secret: text})
		return err == nil
	}
	hash := func(text string) string { return hex.EncodeToString(secret.Hash(text)) }
	for _, c := range []openid.Secrets{
		{Text: first, NextText: second}, {Hash: hash(first), NextHash: hash(second)}, {Text: first, NextHash: hash(second)},
	} {
		if !counts(c, first) || !counts(c, second) || counts(c, third) || counts(c, "") || counts(c, first+second) {
			t.Errorf("not the two secrets, and they alone, count for %+v", c)
		}
	}
	if counts(openid.Secrets{Text: first}, second) || counts(openid.Secrets{}, "") {
		t.Error("a secret counts that the client does not have")
	}
	if _, err := openid.NewClient(openid.Client{ID: "rp"}, openid.Secrets{Text: first, NextText: "short"}); err == nil {
		t.Error("a short second secret is accepted")
	}
}
