package issuer_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"portico/internal/apptest"
	"portico/internal/config"
	"portico/internal/flow"
)

type devicePage struct {
	Screen  string `json:"screen"`
	Session struct{ ID string }
	Device  struct{ State, Code string }
	Client  struct {
		Name   string
		Scopes []struct{ ID string }
	}
	Errors struct {
		Code   string
		Fields struct{ Code string }
	}
}

// waiting is a device of the client "tv" that has begun.
type waiting struct {
	*site
	begun reply
}

func startTV(t *testing.T, change func(*config.Client)) *site {
	return startFor(t, func(c *config.Config) {
		tv := config.Client{ID: "tv", Name: "Living room", IDTokenAlg: "ES256", Public: true, PKCE: true, Scopes: []string{"openid", "email", "offline_access"}, Grants: []string{"device_code"}}
		if change != nil {
			change(&tv)
		}
		tablet := tv
		tablet.ID = "tablet"
		c.Clients = append(c.Clients, tv, tablet)
	})
}

func (s *site) device(changes ...string) waiting {
	s.Helper()
	return waiting{s, s.post("/auth/openid/device", change(url.Values{"client_id": {"tv"}, "scope": {"openid email"}}, changes...))}
}

// polls asks for the tokens of the device.
func (d waiting) polls(changes ...string) reply {
	d.Helper()
	return d.token(change(url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}, "device_code": {d.begun.Device}, "client_id": {"tv"}}, changes...))
}

// types sends the form of the page, as its user.
func (d waiting) types(b *apptest.Browser, code string, answer ...string) (page devicePage, p apptest.Page) {
	d.Helper()
	form := url.Values{"code": {code}}
	if len(answer) > 0 {
		form = url.Values{"code": {code}, "account": {answer[0]}, "answer": {answer[1]}}
	}
	if p = b.Send("/auth/device", form); p.Next() == "" {
		b.Boot(p, &page)
	}
	return page, p
}

// answered answers for the device, and returns the page after it.
func (d waiting) answered(b *apptest.Browser, answer string) devicePage {
	d.Helper()
	page, _ := d.types(b, d.begun.User)
	page, _ = d.types(b, page.Device.Code, page.Session.ID, answer)
	return page
}

func TestDevice(t *testing.T) {
	t.Parallel()
	s := startTV(t, nil)
	b := s.signedIn("mara@example.org")
	d := s.device()
	if !regexp.MustCompile(`^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$`).MatchString(d.begun.User) || d.begun.Left != 600 || d.begun.Interval != 5 ||
		d.begun.Page != s.Origin+"/auth/device" || d.begun.Complete != d.begun.Page+"?user_code="+d.begun.User {
		t.Fatalf("%d %s", d.begun.StatusCode, d.begun.text)
	}
	s.wants("before the answer", d.polls(), 400, "authorization_pending")
	s.wants("at once again", d.polls(), 400, "slow_down")
	s.Clock.Advance(5 * time.Second)
	s.wants("after five seconds", d.polls(), 400, "authorization_pending")
	var page devicePage
	if b.Boot(b.Open("/auth/device?user_code="+strings.ToLower(d.begun.User)), &page); page.Screen != "device" || page.Device.State != "" || page.Device.Code != d.begun.User {
		t.Fatalf("the link leads to %+v", page)
	}
	page, _ = d.types(b, strings.ToLower(strings.ReplaceAll(d.begun.User, "-", " ")))
	if page.Device.State != "confirm" || page.Client.Name != "Living room" || len(page.Client.Scopes) != 2 || page.Device.Code != d.begun.User {
		t.Fatalf("the page asks %+v", page)
	}
	s.Clock.Advance(5 * time.Second)
	s.wants("before the confirmation", d.polls(), 400, "authorization_pending")
	if page, _ = d.types(b, page.Device.Code, page.Session.ID, "allow"); page.Device.State != "allowed" {
		t.Fatalf("the page says %+v", page)
	}
	got := d.polls()
	if got.StatusCode != 200 || got.ID == "" || got.Scope != "openid email" || s.userInfo(got.Access).Email != "mara@example.org" || strings.Contains(payload(t, got.ID), "nonce") {
		t.Fatalf("%d %s", got.StatusCode, got.text)
	}
	s.wants("the code again", d.polls(), 400, "invalid_grant")
	next := s.token(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {got.Refresh}, "client_id": {"tv"}})
	if next.StatusCode != 200 || s.userInfo(next.Access).StatusCode != 200 {
		t.Errorf("a refresh, after the code came again: %d %s", next.StatusCode, next.text)
	}
	if page, p := d.types(b, d.begun.User); p.StatusCode != 422 || page.Errors.Code != "openid.device_unknown" || page.Errors.Fields.Code == "" {
		t.Errorf("a used code: %d %+v", p.StatusCode, page)
	}
}

func TestDevice_Refused(t *testing.T) {
	t.Parallel()
	s := startTV(t, nil)
	b := s.signedIn("mara@example.org")
	d := s.device()
	if page := d.answered(b, "deny"); page.Device.State != "denied" {
		t.Errorf("the page says %+v", page)
	}
	s.wants("after no", d.polls(), 400, "access_denied")
	other := s.device()
	if page := other.answered(b, "yes"); page.Device.State != "denied" {
		t.Errorf("after an answer that no button has, the page says %+v", page)
	}
	s.wants("after that answer", other.polls(), 400, "access_denied")
	late := s.device()
	s.Clock.Advance(10 * time.Minute)
	s.wants("after ten minutes", late.polls(), 400, "expired_token")
	if page, _ := late.types(b, late.begun.User); page.Errors.Code != "openid.device_unknown" {
		t.Errorf("the page takes a code after ten minutes: %+v", page)
	}
	ahead := s.device()
	s.Clock.Advance(-9 * time.Minute)
	s.wants("after the clock was set back", ahead.polls(), 400, "expired_token")
	if page, _ := ahead.types(b, ahead.begun.User); page.Errors.Code != "openid.device_unknown" {
		t.Errorf("the page takes a code from the future: %+v", page)
	}
	for what, tt := range map[string]struct {
		got  reply
		want string
	}{
		"a client without the grant":     {s.post("/auth/openid/device", url.Values{"client_id": {"spa"}, "scope": {"openid"}}), "unauthorized_client"},
		"no scope":                       {s.device("scope", "").begun, "invalid_scope"},
		"a foreign resource":             {s.device("resource", "https://jobs.test").begun, "invalid_target"},
		"another client's code":          {s.device().polls("client_id", "tablet"), "invalid_grant"},
		"no code":                        {s.device().polls("device_code", ""), "invalid_request"},
		"a code for the other grant":     {s.token(url.Values{"grant_type": {"authorization_code"}, "code": {s.device().begun.Device}, "client_id": {"tv"}}), "unauthorized_client"},
		"a code for a client without it": {s.device().polls("client_id", "spa"), "unauthorized_client"},
	} {
		s.wants(what, tt.got, 400, tt.want)
	}
	s.wants("an unknown client", s.post("/auth/openid/device", url.Values{"client_id": {"nobody"}}), 401, "invalid_client")
}

// The page needs a session, and leads back to the code.
func TestDevice_SignIn(t *testing.T) {
	t.Parallel()
	s := startTV(t, nil)
	d := s.device()
	want := "/auth/device?user_code=" + d.begun.User
	for _, p := range []apptest.Page{s.Browser().Open(want), s.Browser().Send("/auth/device", url.Values{"code": {d.begun.User}})} {
		if query(t, p.Next()).Get("return_to") != want {
			t.Errorf("%d %s", p.StatusCode, p.Next())
		}
	}
	if p := s.Browser().Open("/auth/device?user_code=%3Cscript%3E"); query(t, p.Next()).Get("return_to") != "/auth/device" {
		t.Errorf("%d %s", p.StatusCode, p.Next())
	}
}

// Rules, consent, keys and the end of the session count for devices too.
func TestDevice_AsOtherClients(t *testing.T) {
	t.Parallel()
	s := startTV(t, func(c *config.Client) {
		c.Rules, c.Consent, c.DPoP = []string{"role:editor", "role:admin+fresh:10m", "role:boss+mfa"}, true, true
	})
	b, k := s.signedIn("mara@example.org"), s.holder()
	a, err := s.Operator.User(t.Context(), "mara@example.org")
	if err != nil {
		t.Fatal(err)
	}
	roles := func(list ...string) {
		if err := s.Operator.SetUserRoles(t.Context(), flow.ByOperator, a.ID, list); err != nil {
			t.Fatal(err)
		}
	}
	d := s.device()
	if page, p := d.types(b, d.begun.User); p.StatusCode != 403 || page.Screen != "error" {
		t.Errorf("without the role: %d %+v", p.StatusCode, page)
	}
	s.wants("without the role", k.token(d.form()), 400, "access_denied")
	roles("boss")
	d = s.device()
	if _, p := d.types(b, d.begun.User); !strings.HasPrefix(p.Next(), "/auth/mfa?") {
		t.Errorf("without a second factor: %d %s", p.StatusCode, p.Next())
	}
	roles("admin")
	s.Clock.Advance(11 * time.Minute)
	d = s.device()
	if _, p := d.types(b, d.begun.User); query(t, p.Next()).Get("again") != "1" {
		t.Errorf("an old sign-in: %d %s", p.StatusCode, p.Next())
	}
	roles("editor")
	d.answered(b, "allow")
	s.wants("without a key", d.polls(), 400, "invalid_dpop_proof")
	got := k.token(d.form())
	if got.StatusCode != 200 || got.Type != "DPoP" || k.userInfo(got.Access).StatusCode != 200 {
		t.Fatalf("%d %s", got.StatusCode, got.text)
	}
	var page consentPage
	if b.Boot(b.Open("/auth/account/apps"), &page); len(page.Account.Apps) != 1 || page.Account.Apps[0].Scopes == "" {
		t.Errorf("the account lists %+v", page.Account.Apps)
	}
	waits := s.device()
	waits.answered(b, "allow")
	b.Send("/auth/signout", url.Values{})
	s.wants("after a sign-out", k.token(waits.form()), 400, "invalid_grant")
	if k.userInfo(got.Access).StatusCode != 401 {
		t.Error("the tokens outlive the session")
	}
}

func (d waiting) form() url.Values {
	return url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}, "device_code": {d.begun.Device}, "client_id": {"tv"}}
}
