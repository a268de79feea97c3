package federation

import (
	"net/http"
	"strings"
	"testing"
)

// Only the boolean true, from a provider that is trusted for addresses, counts.
func TestEmailVerified(t *testing.T) {
	t.Parallel()
	flags := map[string]bool{
		"true": true, "false": false, `"true"`: false, `"false"`: false, "0": false, "1": false, "null": false, "": false,
		"[]": false, "{}": false, "[true]": false, `"FALSE"`: false, `" true"`: false, `"TRUE"`: false,
	}
	for flag, verified := range flags {
		for _, trust := range []bool{true, false} {
			for _, inUserInfo := range []bool{true, false} {
				b := setup(t, func(pc *ProviderConfig) { pc.TrustEmail = &trust })
				b.op.claims["email_verified"] = flag
				if inUserInfo {
					b.op.claims["email"], b.op.claims["email_verified"] = "", "true"
					b.op.profile = jsonObject(map[string]string{"sub": `"subject-1"`, "email": `"ada@x.test"`, "email_verified": flag}, "")
				}
				got, err := b.signIn()
				if err != nil || got.Email != "ada@x.test" || got.EmailVerified != (verified && trust) {
					t.Errorf("flag %s, trusted %v, in UserInfo %v: got %+v, %v", flag, trust, inUserInfo, got, err)
				}
			}
		}
	}
}

func TestTrustIsOffUnlessTheOperatorSaysSo(t *testing.T) {
	t.Parallel()
	b := setup(t, func(pc *ProviderConfig) { pc.TrustEmail = nil })
	if got, err := b.signIn(); err != nil || got.EmailVerified {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestEmailDocuments(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name     string
		edit     func(*op)
		email    string
		verified bool
		cause    string
	}{
		{"flag twice", func(o *op) { o.tail = `,"email_verified":false` }, "", false, "twice"},
		{"flag twice in UserInfo", func(o *op) {
			o.claims["email"] = ""
			o.profile = `{"sub":"subject-1","email":"a@x.test","email_verified":false,"email_verified":true}`
		}, "", false, "twice"},
		{"address only in UserInfo", func(o *op) { o.claims["email"] = "" }, "info@x.test", true, ""},
		{"UserInfo says verified, ID token not", func(o *op) { o.claims["email_verified"] = "false" }, "ada@x.test", false, ""},
		{"UserInfo does not say, ID token says verified", func(o *op) {
			o.claims["email"] = ""
			o.profile = `{"sub":"subject-1","email":"info@x.test"}`
		}, "info@x.test", false, ""},
		{"UserInfo about another", func(o *op) {
			o.claims["email"] = ""
			o.profile = `{"sub":"subject-2","email":"info@x.test","email_verified":true}`
		}, "", false, "another user"},
		{"UserInfo about nobody", func(o *op) {
			o.claims["email"] = ""
			o.profile = `{"email":"info@x.test","email_verified":true}`
		}, "", false, "another user"},
		{"UserInfo in other letters", func(o *op) {
			o.claims["email"] = ""
			o.profile = `{"sub":"subject-1","Email":"info@x.test","EMAIL_VERIFIED":true}`
		}, "", false, ""},
		{"UserInfo is a list", func(o *op) { o.claims["email"], o.profile = "", `[]` }, "", false, "not a JSON object"},
		{"UserInfo goes on", func(o *op) { o.claims["email"], o.profile = "", o.profile+"{}" }, "", false, "after the end"},
		{"UserInfo refuses", func(o *op) {
			o.claims["email"] = ""
			o.handlers["/userinfo"] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }
		}, "", false, "answered 403"},
		{"no UserInfo", func(o *op) { o.claims["email"], o.members["userinfo_endpoint"] = "", "" }, "", false, ""},
		{"address empty", func(o *op) { o.claims["email"] = `""` }, "", false, ""},
		{"address null", func(o *op) { o.claims["email"] = "null" }, "", false, ""},
		{"address is a list", func(o *op) { o.claims["email"] = `["ada@x.test","eve@evil.test"]` }, "", false, ""},
		{"address too long", func(o *op) { o.claims["email"] = quote(strings.Repeat("a", 320) + "@x.test") }, "", false, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			c.edit(b.op)
			got, err := b.signIn()
			if c.cause != "" {
				want(t, err, CodeRejected, c.cause)
				return
			}
			if err != nil || got.Email != c.email || got.EmailVerified != c.verified {
				t.Errorf("got %q, verified %v, %v", got.Email, got.EmailVerified, err)
			}
		})
	}
}

func TestDisplayName(t *testing.T) {
	t.Parallel()
	for in, out := range map[string]string{
		"Ada":                          "Ada",
		"  Ada \t Lovelace\n":          "Ada Lovelace",
		"Ada\u202eecalevoL":            "AdaecalevoL",
		"\u0000\u001b[31mAda":          "[31mAda",
		strings.Repeat("ä", 101):       strings.Repeat("ä", 100),
		"علی\u200cرضا":                 "علی\u200cرضا",
		"李小龍 \u200b<b>":                "李小龍 <b>",
		strings.Repeat("a", 99) + " b": strings.Repeat("a", 99),
	} {
		if got := displayName(in); got != out {
			t.Errorf("%q: got %q, want %q", in, got, out)
		}
	}
}
