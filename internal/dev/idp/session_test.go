package idp_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// stay signs Ada in and returns the session cookie.
func (b *bench) stay() *http.Cookie {
	b.t.Helper()
	_, header, _ := b.post("/authorize", url.Values{"request": {request().Encode()}, "choice": {"sample-ada"}, "stay": {"yes"}})
	cookies := (&http.Response{Header: header}).Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteLaxMode {
		b.t.Fatalf("got the cookies %v", header["Set-Cookie"])
	}
	return cookies[0]
}

// ask sends an authorization request from a browser with the cookie.
func (b *bench) ask(c *http.Cookie, edit url.Values) (answer url.Values, asked bool) {
	b.t.Helper()
	q := request()
	for name := range edit {
		q.Set(name, edit.Get(name))
	}
	req, err := http.NewRequest(http.MethodGet, b.issuer+"/authorize?"+q.Encode(), nil)
	if err != nil {
		b.t.Fatal(err)
	}
	req.AddCookie(c)
	status, header, body := b.send(req)
	if status == http.StatusOK && strings.Contains(body, "Choose an account") {
		return nil, true
	}
	u, err := url.Parse(header.Get("Location"))
	if status != http.StatusSeeOther || err != nil {
		b.t.Fatalf("got %d to %q", status, header.Get("Location"))
	}
	return u.Query(), false
}

// A signed-in person is not asked again, and the ID token has the time of the
// sign-in. A client can force a new sign-in.
func TestStayingSignedIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.stay()
	signedIn := b.clock.Now().Unix()
	b.clock.Advance(time.Hour)
	for _, silent := range []url.Values{{}, {"prompt": {"none"}}, {"max_age": {"3601"}}} {
		answer, asked := b.ask(c, silent)
		if asked || answer.Get("code") == "" {
			t.Fatalf("%v: asked %v, got %v", silent, asked, answer)
		}
		_, tokens := b.redeem(redemption(answer.Get("code")))
		raw, _ := tokens["id_token"].(string)
		token, err := jwt.ParseSigned(raw, []jose.SignatureAlgorithm{jose.ES256})
		var claims struct {
			AuthTime int64 `json:"auth_time"`
		}
		if err == nil {
			err = token.UnsafeClaimsWithoutVerification(&claims)
		}
		if err != nil || claims.AuthTime != signedIn {
			t.Errorf("%v: auth_time is %d, want %d (%v)", silent, claims.AuthTime, signedIn, err)
		}
	}
	for _, again := range []url.Values{{"prompt": {"login"}}, {"prompt": {"select_account"}}, {"max_age": {"0"}}, {"max_age": {"3600"}}, {"max_age": {"x"}}} {
		if answer, asked := b.ask(c, again); !asked {
			t.Errorf("%v: not asked, but %v", again, answer)
		}
	}
	req, err := http.NewRequest(http.MethodPost, b.issuer+"/signout", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.AddCookie(c)
	b.send(req)
	if answer, _ := b.ask(c, url.Values{"prompt": {"none"}}); answer.Get("error") != "login_required" {
		t.Errorf("after signing out: got %v", answer)
	}
}
