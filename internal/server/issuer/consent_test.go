package issuer_test

import (
	"encoding/base32"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/internal/apptest"
	"portico/internal/audit"
	"portico/internal/config"
	"portico/internal/factor"
	"portico/internal/flow"
	"portico/internal/openid"
	"portico/internal/store"
)

type consentPage struct {
	Screen  string `json:"screen"`
	Session struct{ ID, Email string }
	Client  struct {
		Request, Name, Host, Asked, Unknown string
		Scopes                              []struct{ ID, Text string }
	}
	Account struct {
		Apps []struct{ ID, Name, Scopes string }
	}
	Next   string `json:"next"`
	Back   string `json:"back"`
	Detail string `json:"detail"`
}

// startAsking starts a site whose client rp asks its users.
func startAsking(t *testing.T, change func(*config.Client)) *site {
	return startFor(t, func(c *config.Config) {
		c.Clients[0].Consent, c.Clients[0].Name = true, "The App"
		if change != nil {
			change(&c.Clients[0])
		}
	})
}

// asked returns the consent page of a request.
func (s *site) asked(b *apptest.Browser, changes ...string) (page consentPage) {
	s.Helper()
	p := b.Open(authorize(ask(changes...)))
	if b.Boot(p, &page); p.StatusCode != 200 || page.Screen != "consent" {
		s.Fatalf("the user is not asked: %d %s", p.StatusCode, page.Screen)
	}
	return page
}

// answers presses a button of the consent page.
func answers(b *apptest.Browser, page consentPage, answer string) apptest.Page {
	b.Helper()
	return b.Send("/auth/openid/consent", url.Values{"account": {page.Session.ID}, "request": {page.Client.Request}, "scopes": {page.Client.Asked}, "answer": {answer}})
}

// The user is asked once for each scope, also before prompt=none. The words of
// profile name the address too, so the page has no line for email.
func TestConsent_OncePerScope(t *testing.T) {
	t.Parallel()
	s := startAsking(t, nil)
	b := s.signedIn("mara@example.org")
	if got := back(t, b.Open(authorize(ask("prompt", "none")))); got.Get("error") != "consent_required" {
		t.Errorf("prompt=none before: %v", got)
	}
	page := s.asked(b)
	if page.Client.Name != "The App" || page.Client.Host != "rp.test" || page.Client.Asked != "openid profile email" || len(page.Client.Scopes) != 2 || page.Session.Email != "mara@example.org" {
		t.Errorf("the page names %+v", page)
	}
	for _, answer := range []string{"deny", "", "yes"} {
		if got := back(t, answers(b, page, answer)); got.Get("error") != "access_denied" || got.Get("state") != "s t&<a>" {
			t.Errorf("%q: %v", answer, got)
		}
	}
	page = s.asked(b)
	err := s.Store.Write(t.Context(), func(tx *store.Tx) (err error) {
		for n := range openid.MostOfAny {
			err = errors.Join(err, tx.SaveConsent(t.Context(), openid.Consent{AccountID: page.Session.ID, ClientID: strconv.Itoa(n), Scopes: []string{}}))
		}
		return err
	})
	code := back(t, answers(b, page, "allow")).Get("code")
	var kept []openid.Consent
	errs := errors.Join(err, s.Store.Read(t.Context(), func(tx *store.Tx) (err error) {
		kept, err = tx.ConsentsOf(t.Context(), page.Session.ID)
		return err
	}))
	if errs != nil || len(kept) != openid.MostOfAny {
		t.Errorf("%d consents are kept: %v", len(kept), errs)
	}
	if got := s.token(redemption(code)); got.StatusCode != 200 || got.Scope != "openid profile email" {
		t.Errorf("the tokens: %d %s", got.StatusCode, got.text)
	}
	for _, changes := range [][]string{{}, {"prompt", "none"}, {"scope", "openid"}, {"prompt", "none", "scope", "openid email"}} {
		if got := back(t, b.Open(authorize(ask(changes...)))); got.Get("code") == "" {
			t.Errorf("%v: asked again: %v", changes, got)
		}
	}
	more := s.asked(b, "scope", "openid groups")
	if got := back(t, answers(b, more, "allow")); got.Get("code") == "" {
		t.Errorf("more: %v", got)
	}
	if got := back(t, b.Open(authorize(ask("scope", "openid profile email groups")))); got.Get("code") == "" {
		t.Errorf("both are not kept: %v", got)
	}
	if again := s.asked(b, "prompt", "consent"); again.Client.Asked != "openid profile email" {
		t.Errorf("prompt=consent: %+v", again)
	}
	other := s.signedIn("noor@example.org")
	s.asked(other)
}

// The operator decides whether users are asked: apps must send prompt=consent to get
// offline_access (OpenID Connect Core 11).
func TestConsent_PromptOfAClientWithoutIt(t *testing.T) {
	t.Parallel()
	s := start(t)
	b := s.signedIn("mara@example.org")
	if got := s.tokens(b, "prompt", "consent", "scope", "openid offline_access"); got.Scope != "openid offline_access" {
		t.Errorf("the client gets %s", got.text)
	}
}

// An answer counts for the page that was shown: its user, its scopes, its request.
func TestConsent_BoundToItsPage(t *testing.T) {
	t.Parallel()
	s := startAsking(t, nil)
	b := s.signedIn("mara@example.org")
	page := s.asked(b, "scope", "openid")
	wider := page
	wider.Client.Request = ask("scope", "openid email").Encode()
	foreign := page
	foreign.Session.ID = s.Person("noor@example.org")
	for name, p := range map[string]consentPage{"other scopes": wider, "another user": foreign} {
		if got := answers(b, p, "allow"); !strings.HasPrefix(got.Next(), "/auth/openid/authorize?") {
			t.Errorf("%s: %d %s", name, got.StatusCode, got.Next())
		}
	}
	evil := page
	evil.Client.Request = ask("redirect_uri", "https://evil.test/").Encode()
	for _, answer := range []string{"allow", "deny"} {
		if got := answers(b, evil, answer); got.StatusCode != 422 || got.Next() != "" {
			t.Errorf("an unregistered address: %d %s", got.StatusCode, got.Next())
		}
	}
	fresh := page
	fresh.Client.Request = ask("scope", "openid", "prompt", "login").Encode()
	if got := answers(b, fresh, "allow"); !strings.HasPrefix(got.Next(), "/auth/signin?") {
		t.Errorf("the form leads around a new sign-in: %s", got.Next())
	}
	if got := answers(s.Browser(), page, "allow"); strings.Contains(got.Next(), "code=") {
		t.Errorf("without a session: %s", got.Next())
	}
	s.asked(b, "scope", "openid")
}

// A scope that a later version has stored is shown by its name, not by the key of a text.
func TestApps_ScopeOfALaterVersion(t *testing.T) {
	t.Parallel()
	s := startAsking(t, nil)
	b := s.signedIn("mara@example.org")
	var page consentPage
	b.Boot(b.Open("/auth/account/apps"), &page)
	err := s.Store.Write(t.Context(), func(tx *store.Tx) error {
		return tx.SaveConsent(t.Context(), openid.Consent{AccountID: page.Session.ID, ClientID: "rp", Scopes: []string{"email", "palm"}})
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Boot(b.Open("/auth/account/apps"), &page)
	if apps := page.Account.Apps; len(apps) != 1 || apps[0].Scopes != "Your email address · palm" {
		t.Errorf("the page lists %+v", apps)
	}
}

// The account page lists apps, and ends what one has obtained.
func TestApps_Removed(t *testing.T) {
	t.Parallel()
	s := startAsking(t, nil)
	b := s.signedIn("mara@example.org")
	code := back(t, answers(b, s.asked(b, "scope", "openid email offline_access"), "allow")).Get("code")
	got := s.token(redemption(code))
	other := s.token(redemption(s.code(b, "client_id", "other"), "client_id", "other", "client_secret", "other "+rpSecret))
	var page consentPage
	b.Boot(b.Open("/auth/account/apps"), &page)
	apps := page.Account.Apps
	slices.SortFunc(apps, func(a, b struct{ ID, Name, Scopes string }) int { return strings.Compare(a.ID, b.ID) })
	if len(apps) != 2 || apps[0].ID != "other" || apps[0].Scopes != "" || apps[1].Name != "The App" || !strings.Contains(apps[1].Scopes, "Your email address") {
		t.Fatalf("the page lists %+v", apps)
	}
	noor := s.signedIn("noor@example.org")
	noor.Send("/auth/account/apps", url.Values{"account": {page.Session.ID}, "app": {"rp"}})
	if info := s.userInfo(got.Access); info.StatusCode != 200 {
		t.Fatal("another user has removed the app")
	}
	if p := b.Send("/auth/account/apps", url.Values{"account": {page.Session.ID}, "app": {"rp"}}); p.Next() != "/auth/account/apps" {
		t.Errorf("removed: %d %s", p.StatusCode, p.Next())
	}
	s.wants("after the removal", s.token(refreshing(got.Refresh)), 400, "invalid_grant")
	if s.userInfo(got.Access).StatusCode != 401 || s.userInfo(other.Access).StatusCode != 200 {
		t.Error("not the access of the app, and of it alone, has ended")
	}
	s.asked(b, "scope", "openid")
	b.Boot(b.Open("/auth/account/apps"), &page)
	if len(page.Account.Apps) != 1 {
		t.Errorf("the page lists %+v", page.Account.Apps)
	}
	b.Send("/auth/account/apps", url.Values{"account": {page.Session.ID}, "app": {"no such app"}})
	facts, _, err := s.Owner.History(t.Context(), page.Session.ID, "")
	if err != nil || slices.IndexFunc(facts, func(f audit.Fact) bool { return f.Name == audit.ConsentRevoked && f.Detail == "rp" }) < 0 ||
		slices.ContainsFunc(facts, func(f audit.Fact) bool { return f.Detail == "no such app" }) {
		t.Errorf("the record: %+v, %v", facts, err)
	}
}

// A refresh looks at the roles again.
func TestRules_OfAClient(t *testing.T) {
	t.Parallel()
	s := startAsking(t, func(c *config.Client) { c.Consent, c.Rules = false, []string{"role:editor", "role:admin+fresh:10m"} })
	b := s.signedIn("mara@example.org")
	a, err := s.Operator.User(t.Context(), "mara@example.org")
	if err != nil {
		t.Fatal(err)
	}
	roles := func(list ...string) {
		if err := s.Operator.SetUserRoles(t.Context(), flow.ByOperator, a.ID, list); err != nil {
			t.Fatal(err)
		}
	}
	var page consentPage
	p := b.Open(authorize(ask()))
	if b.Boot(p, &page); p.StatusCode != 403 || page.Screen != "error" || !strings.Contains(page.Detail, "The App") {
		t.Fatalf("without the role: %d %+v", p.StatusCode, page)
	}
	if got := back(t, b.Open(page.Back)); got.Get("error") != "access_denied" || got.Get("state") != "s t&<a>" {
		t.Errorf("back at the client: %v", got)
	}
	if got := back(t, b.Open(authorize(ask("prompt", "none")))); got.Get("error") != "access_denied" {
		t.Errorf("prompt=none: %v", got)
	}
	roles("editor")
	got := s.tokens(b, "scope", "openid offline_access")
	roles("reader")
	s.wants("without the role", s.token(refreshing(got.Refresh)), 400, "invalid_grant")
	roles("admin")
	s.Clock.Advance(11 * time.Minute)
	if p := b.Open(authorize(ask())); query(t, p.Next()).Get("again") != "1" {
		t.Errorf("an old sign-in: %d %s", p.StatusCode, p.Next())
	}
	s.Clock.Advance(time.Second)
	b.SignIn("mara@example.org")
	s.tokens(b)
}

// A user without the role can sign in with another account, and that account continues to the client.
func TestRules_AnotherAccount(t *testing.T) {
	t.Parallel()
	s := startAsking(t, func(c *config.Client) { c.Consent, c.Rules = false, []string{"role:editor"} })
	b := s.signedIn("mara@example.org")
	noor := s.Person("noor@example.org")
	if err := s.Operator.SetUserRoles(t.Context(), flow.ByOperator, noor, []string{"editor"}); err != nil {
		t.Fatal(err)
	}
	request := authorize(ask("prompt", "select_account"))
	p := b.Open(request) // leads to the sign-in first
	p = b.Open(query(t, p.Next()).Get("return_to"))
	var page consentPage
	e := s.refused("rule.role", func() { b.Boot(b.Open(authorize(ask())), &page) })
	mara, err := s.Operator.User(t.Context(), "mara@example.org")
	if err != nil || !strings.Contains(e.Cause, mara.ID) || !strings.HasSuffix(e.Cause, ": role:editor") || e.ID != "rp" {
		t.Errorf("the log has %+v (%v)", e, err)
	}
	to := query(t, page.Next).Get("return_to")
	if !strings.HasPrefix(page.Next, "/auth/signin?") || p.StatusCode != 403 {
		t.Fatalf("%d leads to %s", p.StatusCode, page.Next)
	}
	next := b.Send("/auth/signin", url.Values{"email": {"noor@example.org"}, "password": {apptest.Password}, "return_to": {to}}).Next()
	if got := back(t, b.Open(next)); got.Get("code") == "" || got.Get("state") != "s t&<a>" {
		t.Errorf("back at the client: %v", got)
	}
}

// A client whose rule asks for a second factor leads the user to one.
func TestRules_SecondFactor(t *testing.T) {
	t.Parallel()
	s := startAsking(t, func(c *config.Client) { c.Consent, c.Rules = false, []string{"mfa"} })
	b := s.signedIn("mara@example.org")
	p := b.Open(authorize(ask()))
	led, err := url.Parse(p.Next())
	if err != nil || led.Path != "/auth/mfa" || !strings.HasPrefix(led.Query().Get("return_to"), "/auth/openid/authorize?") {
		t.Errorf("without a factor: %d %s", p.StatusCode, p.Next())
	}
	if got := back(t, b.Open(authorize(ask("prompt", "none")))); got.Get("error") != "interaction_required" {
		t.Errorf("prompt=none: %v", got)
	}
	one := ask("claims", `{"id_token":{"acr":{"essential":true,"value":"1"}}}`)
	for _, factor := range []func(){func() {}, func() { s.addFactor(b); s.tokens(b) }} {
		factor()
		if got := back(t, b.Open(authorize(one))); got.Get("error") != "unmet_authentication_requirements" || got.Get("code") != "" {
			t.Errorf("an ID token that denies the factor: %v", got)
		}
	}
}

// addFactor adds an authenticator app to the account of a browser, which gives its code.
func (s *site) addFactor(b *apptest.Browser) factor.Secret {
	s.Helper()
	t := s.TB.(*testing.T)
	var page struct {
		Session struct{ ID string }
		Factors struct{ Secret string }
	}
	b.Boot(b.Open("/auth/account/factors"), &page)
	setup := b.Send("/auth/account/factors/add", url.Values{"account": {page.Session.ID}}).Next()
	b.Boot(b.Open(setup), &page)
	secret, err := base32.StdEncoding.DecodeString(strings.ReplaceAll(page.Factors.Secret, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	b.Send("/auth/account/factors", url.Values{"flow": {query(t, setup).Get("flow")}, "code": {factor.Secret(secret).At(s.Clock.Now())}})
	return factor.Secret(secret)
}

// A late repeat of a refresh token ends its grant alone, and the owner is told.
func TestReuse_IsMailed(t *testing.T) {
	t.Parallel()
	s := startAsking(t, func(c *config.Client) { c.Consent = false })
	b := s.signedIn("mara@example.org")
	got, other := s.tokens(b), s.tokens(b)
	if next := s.token(refreshing(got.Refresh)); next.StatusCode != 200 {
		t.Fatal(next.text)
	}
	s.Clock.Advance(31 * time.Second)
	for range 2 {
		s.wants("a late repeat", s.token(refreshing(got.Refresh)), 400, "invalid_grant")
	}
	m := s.NextMail()
	for m.Template == "new-device" {
		m = s.NextMail()
	}
	if m.Template != "grant-reused" || m.To != "mara@example.org" || m.Data["app"] != "The App" {
		t.Errorf("the owner gets %+v", m)
	}
	if next := s.token(refreshing(other.Refresh)); next.StatusCode != 200 {
		t.Errorf("the other grant: %d %s", next.StatusCode, next.text)
	}
}

// id_token_hint names the user that the client expects.
func TestAuthorize_Hint(t *testing.T) {
	t.Parallel()
	s := start(t)
	mara, noor := s.signedIn("mara@example.org"), s.signedIn("noor@example.org")
	hint := s.tokens(mara).ID
	if got := back(t, mara.Open(authorize(ask("prompt", "none", "id_token_hint", hint)))); got.Get("code") == "" {
		t.Errorf("the same user: %v", got)
	}
	if got := back(t, noor.Open(authorize(ask("prompt", "none", "id_token_hint", hint)))); got.Get("error") != "login_required" {
		t.Errorf("another user: %v", got)
	}
	p := noor.Open(authorize(ask("id_token_hint", hint)))
	to := query(t, p.Next()).Get("return_to")
	if !strings.HasPrefix(p.Next(), "/auth/signin?") {
		t.Fatalf("another user: %s", p.Next())
	}
	if got := back(t, noor.Open(to)); got.Get("error") != "login_required" {
		t.Errorf("another user who returns: %v", got)
	}
	noor.SignIn("mara@example.org")
	if got := back(t, noor.Open(to)); got.Get("code") == "" {
		t.Errorf("the user who has signed in: %v", got)
	}
	if got := back(t, mara.Open(authorize(ask("id_token_hint", "x")))); got.Get("error") != "invalid_request" {
		t.Errorf("a forged hint: %v", got)
	}
}

// amr and acr say how the user signed in.
func TestIDToken_Assurance(t *testing.T) {
	t.Parallel()
	s := start(t)
	claims := payload(t, s.tokens(s.signedIn("mara@example.org"), "acr_values", "2 1").ID)
	if !strings.Contains(claims, `"amr":["pwd"]`) || !strings.Contains(claims, `"acr":"1"`) {
		t.Errorf("the ID token says %s", claims)
	}
}

// The sign-in page names the app that sent the visitor, as the settings name it, and nothing that a
// link or a guest says about itself.
func TestSignIn_NamesTheApp(t *testing.T) {
	t.Parallel()
	s := startAsking(t, nil)
	guest := publish(t, nil)
	guests := startGuests(t, guest)
	signIn := func(to string) string { return "/auth/signin?return_to=" + url.QueryEscape(to) }
	for name, test := range map[string]struct {
		site       *site
		page, want string
	}{
		"a client":          {s, s.Browser().Open(authorize(ask())).Next(), "to continue to The App"},
		"a guest":           {guests, guests.Browser().Open(authorize(ask(guest.asks()...))).Next(), ""},
		"an unknown client": {s, signIn(authorize(url.Values{"client_id": {"Your Bank"}})), ""},
		"a foreign origin":  {s, signIn("https://evil.test/"), ""},
		"a page here":       {s, signIn("/auth/account"), ""},
	} {
		var page consentPage
		b := test.site.Browser()
		b.Boot(b.Open(test.page), &page)
		if page.Screen != "signin" || page.Detail != test.want {
			t.Errorf("%s: %s says %q, want %q", name, page.Screen, page.Detail, test.want)
		}
	}
}

// The consent page leads to the sign-in with another account, and back to the question.
func TestConsent_AnotherAccount(t *testing.T) {
	t.Parallel()
	s := startAsking(t, nil)
	s.Person("noor@example.org")
	b := s.signedIn("mara@example.org")
	page := s.asked(b)
	to := query(t, page.Next).Get("return_to")
	next := b.Send("/auth/signin", url.Values{"email": {"noor@example.org"}, "password": {apptest.Password}, "return_to": {to}}).Next()
	if b.Boot(b.Open(next), &page); page.Screen != "consent" || page.Session.Email != "noor@example.org" {
		t.Errorf("%s leads to %s of %s", page.Next, page.Screen, page.Session.Email)
	}
}
