package issuer_test

import (
	"strings"
	"testing"

	"portico/internal/apptest"
)

// Whatever a client sends, the token endpoint gives no tokens, and answers with an
// error of the client.
func FuzzToken(f *testing.F) {
	for _, s := range []string{
		"", "grant_type=authorization_code&code=x&client_id=rp", redemption("x").Encode(), refreshing("y").Encode(), "%zz", "a=1&a=2", "client_id=rp&client_secret=%00",
		"grant_type=refresh_token&refresh_token=00000000000000000000000000.0.AAAA&client_id=spa", strings.Repeat("a=", 4000),
	} {
		f.Add(s, "")
		f.Add(s, "Basic cnA6eA==")
	}
	s := startFor(f)
	f.Fuzz(func(t *testing.T, body, authorization string) {
		if strings.ContainsFunc(authorization, func(r rune) bool { return r < ' ' || r >= 0x7f }) || len(body) > 8000 || len(authorization) > 1000 {
			return
		}
		headers := []string{"Content-Type", "application/x-www-form-urlencoded"}
		if authorization != "" {
			headers = append(headers, "Authorization", authorization)
		}
		got := (&site{&apptest.Site{TB: t, Origin: s.Origin}}).send("POST", "/auth/openid/token", body, headers...)
		if got.StatusCode != 400 && got.StatusCode != 401 || got.Error == "" || got.Access != "" {
			t.Fatalf("%q with %q: %d %s", body, authorization, got.StatusCode, got.text)
		}
	})
}
