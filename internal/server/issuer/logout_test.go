package issuer_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"portico/internal/account"
	"portico/internal/apptest"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/outbox"
	"portico/internal/session"
	"portico/internal/testform"
)

const bye = "https://rp.test/bye?from=portico"

// told is a client that is told about ended sessions.
type told struct {
	*site
	tokens chan string
	answer chan int // of the next messages; 200 when empty
}

func newTold() told { return told{tokens: make(chan string, 20), answer: make(chan int, 20)} }

// ServeHTTP receives a message.
func (s told) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case status := <-s.answer:
		w.WriteHeader(status)
	default:
	}
	s.tokens <- r.FormValue("logout_token")
}

// startTold starts a site whose clients rp and other have a back channel.
func startTold(t *testing.T, changes ...func(*config.Config)) told {
	s := newTold()
	client := httptest.NewServer(s)
	t.Cleanup(client.Close)
	s.site = startFor(t, append(changes, func(c *config.Config) {
		for i := range c.Clients[:2] {
			c.Clients[i].LogoutURI, c.Clients[i].LogoutReturns = client.URL+"/logout", []string{bye}
		}
	})...)
	return s
}

// next returns the claims of the next message to a client.
func (s told) next(clientID string) (claims map[string]any) {
	s.Helper()
	select {
	case token := <-s.tokens:
		return s.verified(token, clientID)
	case <-time.After(testform.Patience):
		s.Fatal("the client was not told")
		return nil
	}
}

func (s told) verified(token, clientID string) (claims map[string]any) {
	s.Helper()
	ctx := oidc.InsecureIssuerURLContext(s.Context(), s.Origin)
	provider, err := oidc.NewProvider(ctx, s.Origin)
	if err != nil {
		s.Fatal(err)
	}
	verified, err := provider.Verifier(&oidc.Config{ClientID: clientID, Now: s.Clock.Now}).Verify(ctx, token)
	if err != nil {
		s.Fatal(err)
	}
	if err := verified.Claims(&claims); err != nil {
		s.Fatal(err)
	}
	return claims
}

// quiet expects that no client is told. A later message, which is expected, comes
// after all earlier ones.
func (s told) quiet() {
	s.Helper()
	select {
	case token := <-s.tokens:
		s.Errorf("a client is told: %s", token)
	default:
	}
}

// Every end of a session is told to every client that has tokens from it. The refresh token ends, too, but
// with offline_access only if it was not this browser that signed out.
func TestBackChannel_EveryEnd(t *testing.T) {
	t.Parallel()
	s := startTold(t)
	ctx := t.Context()
	s.Person("noor@example.org")
	ends := map[string]func(b *apptest.Browser, id string) error{
		"sign-out":     func(b *apptest.Browser, _ string) error { b.Send("/auth/signout", nil); return nil },
		"another user": func(b *apptest.Browser, _ string) error { b.SignIn("noor@example.org"); return nil },
		"operator": func(_ *apptest.Browser, id string) error {
			_, err := s.Operator.EndUserSessions(ctx, flow.ByOperator, id)
			return err
		},
		"one by an operator": func(b *apptest.Browser, _ string) error {
			return s.Operator.EndUserSession(ctx, flow.ByOperator, s.session(b).Session.ID)
		},
		"disabled": func(_ *apptest.Browser, id string) error {
			return s.Operator.SetUserState(ctx, flow.ByOperator, id, account.DisabledByOperator)
		},
		"deleted":  func(_ *apptest.Browser, id string) error { return s.Operator.DeleteUser(ctx, flow.ByOperator, id) },
		"password": func(b *apptest.Browser, _ string) error { return s.newPassword(s.session(b).User.Address) },
		"by another browser": func(b *apptest.Browser, _ string) error {
			return s.Owner.EndOtherSessions(ctx, flowCaller(), s.elsewhere(b))
		},
		"one by another browser": func(b *apptest.Browser, _ string) error {
			return s.Owner.EndSession(ctx, flowCaller(), s.elsewhere(b), s.session(b).Session.ID)
		},
	}
	for name, end := range ends {
		for _, scope := range []string{"openid", "openid offline_access"} {
			b := s.signedIn(strings.ReplaceAll(name+" "+scope, " ", "-") + "@example.org")
			got := s.site.tokens(b, "scope", scope)
			id := s.verified(got.ID, "rp")
			if err := end(b, id["sub"].(string)); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			claims := s.next("rp")
			events, _ := claims["events"].(map[string]any)
			if claims["sub"] != id["sub"] || claims["sid"] != id["sid"] || claims["jti"] == nil || claims["nonce"] != nil || events["http://schemas.openid.net/event/backchannel-logout"] == nil {
				t.Errorf("%s: the client is told %v", name, claims)
			}
			next := s.token(refreshing(got.Refresh))
			if kept := strings.Contains(scope, "offline") && (name == "sign-out" || name == "another user"); !kept {
				s.wants(name+", "+scope, next, 400, "invalid_grant")
			} else if next.StatusCode != 200 {
				t.Errorf("%s: %d %s", name, next.StatusCode, next.text)
			}
			s.quiet()
		}
	}
}

// An app outlives the browser that has signed out. Whoever ends the rest then ends it, too, and it is told once.
func TestBackChannel_OutlivedItsSession(t *testing.T) {
	t.Parallel()
	s := startTold(t)
	for name, ends := range map[string]func(b *apptest.Browser) (int, error){
		"the operator": func(b *apptest.Browser) (int, error) {
			return s.Operator.EndUserSessions(t.Context(), flow.ByOperator, s.session(b).User.ID)
		},
		"the owner": func(b *apptest.Browser) (int, error) {
			return 2, s.Owner.EndOtherSessions(t.Context(), flowCaller(), s.session(b))
		},
	} {
		address := strings.ReplaceAll(name, " ", "-") + "@example.org"
		b := s.signedIn(address)
		s.site.tokens(b) // ends with its session
		got := s.site.tokens(b, "scope", "openid offline_access")
		b.Send("/auth/signout", nil)
		s.next("rp")
		b.SignIn(address)
		own := s.site.tokens(b, "scope", "openid offline_access")
		if n, err := ends(b); n != 2 || err != nil {
			t.Errorf("%s has ended %d: %v", name, n, err)
		}
		s.next("rp")
		s.wants(name, s.token(refreshing(got.Refresh)), 400, "invalid_grant")
		if kept := s.token(refreshing(own.Refresh)).StatusCode == 200; kept != (name == "the owner") {
			t.Errorf("%s: what this browser has obtained works: %v", name, kept)
		} else if !kept {
			s.next("rp")
		}
		s.quiet()
	}
}

// session returns the session of a browser.
func (s told) session(b *apptest.Browser) session.Found {
	s.Helper()
	found, err := s.Flows.Session(s.Context(), b.Cookie("session"))
	if err != nil {
		s.Fatal(err)
	}
	return found
}

// elsewhere signs the user of a browser in with another one, and returns that session.
func (s told) elsewhere(b *apptest.Browser) session.Found {
	s.Helper()
	other := s.Browser()
	other.SignIn(s.session(b).User.Address)
	return s.session(other)
}

func (s told) newPassword(address string) error {
	a, err := s.Operator.User(s.Context(), address)
	if err != nil {
		return err
	}
	return s.Operator.SetUserPassword(s.Context(), flow.ByOperator, a, "seven lanterns over copper hills")
}

// Each client is told once for a session, whatever it has asked for. The same user
// who signs in again in the same browser ends nothing.
func TestBackChannel_OncePerClient(t *testing.T) {
	t.Parallel()
	s := startTold(t)
	b := s.signedIn("mara@example.org")
	s.site.tokens(b)
	s.site.tokens(b, "scope", "openid offline_access")
	s.code(b, "state", "unused") // gives no tokens
	b.SignIn("mara@example.org")
	other := s.token(redemption(s.code(b, "client_id", "other"), "client_id", "other", "client_secret", "other "+rpSecret))
	if other.StatusCode != 200 {
		t.Fatal(other.text)
	}
	b.Send("/auth/signout", nil)
	var clients []string
	for range 2 {
		select {
		case token := <-s.tokens:
			clients = append(clients, audience(t, token))
		case <-time.After(testform.Patience):
			t.Fatalf("told: %v", clients)
		}
	}
	if slices.Sort(clients); !slices.Equal(clients, []string{"other", "rp"}) {
		t.Errorf("told: %v", clients)
	}
	s.quiet()
}

// A message that fails is tried again, with the same id.
func TestBackChannel_TriesAgain(t *testing.T) {
	t.Parallel()
	s := startTold(t)
	b := s.signedIn("mara@example.org")
	s.site.tokens(b)
	s.answer <- http.StatusInternalServerError
	b.Send("/auth/signout", nil)
	first := s.next("rp")
	s.again()
	if second := s.next("rp"); second["jti"] != first["jti"] || second["iat"] == first["iat"] {
		t.Errorf("the second message is %v, after %v", second, first)
	}
}

// again waits until the failure of a message is written, and moves the clock to its next attempt.
// Moved before, the clock would end the claim of an attempt that runs, and the message would come twice.
func (s told) again() {
	s.Helper()
	late := time.After(testform.Patience)
	for {
		waiting, _, _, err := s.Unsent(s.Context(), 100)
		if err != nil {
			s.Fatal(err)
		}
		if at := slices.IndexFunc(waiting, func(l outbox.Listed) bool { return l.Reason != "" }); at >= 0 {
			s.Clock.Advance(waiting[at].DueAt.Sub(s.Clock.Now()))
			s.Outbox.Wake(outbox.Logouts)
			s.Outbox.Wake(outbox.GuestLogouts)
			break
		}
		select {
		case <-late:
			s.Fatal("no failure is written")
		case <-time.After(time.Millisecond):
		}
	}
	select {
	case token := <-s.tokens:
		s.tokens <- token
	case <-late:
		s.Fatal("the message is not sent again")
	}
}

func audience(t *testing.T, token string) string {
	t.Helper()
	for _, client := range []string{"rp", "other"} {
		if strings.Contains(payload(t, token), `"aud":"`+client+`"`) {
			return client
		}
	}
	return ""
}

// logout is the address of a request to sign out.
func logout(changes ...string) string {
	return "/auth/openid/logout?" + change(url.Values{}, changes...).Encode()
}

type question struct {
	Screen  string `json:"screen"`
	Notice  string `json:"notice"`
	Here    string `json:"here"`
	Session struct{ ID, Email string }
	Client  struct{ Request string }
}

// The user is asked once, and returns to the client with its state.
func TestLogout_AsksAndReturns(t *testing.T) {
	t.Parallel()
	s := startTold(t)
	for name, asked := range map[string]func(id string) []string{
		"client": func(string) []string { return []string{"client_id", "rp"} },
		"hint":   func(id string) []string { return []string{"id_token_hint", id} },
		"both":   func(id string) []string { return []string{"id_token_hint", id, "client_id", "rp"} },
	} {
		b := s.signedIn(name + "@example.org")
		got := s.site.tokens(b)
		s.Clock.Advance(2 * time.Hour) // the hint has expired
		request := logout(append(asked(got.ID), "post_logout_redirect_uri", bye, "state", "s t&<a>")...)
		p := b.Open(request)
		var q question
		if b.Boot(p, &q); p.StatusCode != 200 || q.Screen != "sign-out" || q.Session.Email != name+"@example.org" {
			t.Fatalf("%s: %d %+v", name, p.StatusCode, q)
		}
		if _, err := s.Flows.Session(t.Context(), b.Cookie("session")); err != nil {
			t.Fatalf("%s: the question alone has signed out", name)
		}
		back := b.Send("/auth/openid/logout/confirm", url.Values{"account": {q.Session.ID}, "request": {q.Client.Request}})
		if want := bye + "&state=s+t%26%3Ca%3E"; back.StatusCode != 303 || back.Next() != want {
			t.Errorf("%s: %d %s, want %s", name, back.StatusCode, back.Next(), want)
		}
		s.next("rp")
		if again := b.Open(request); again.Next() != back.Next() {
			t.Errorf("%s: signed out, the browser goes to %s", name, again.Next())
		}
	}
}

// A link to the address of the sign-out asks, and leads back to where a sign-in may return to.
func TestLogout_Link(t *testing.T) {
	t.Parallel()
	s := startTold(t)
	b := s.signedIn("mara@example.org")
	for to, want := range map[string]string{"/shop": "/auth/signed-out?return_to=%2Fshop", "https://evil.test/": "/auth/signed-out", "": "/auth/signed-out"} {
		b.SignIn("mara@example.org")
		link := b.Open("/auth/signout?" + url.Values{"return_to": {to}}.Encode()).Next()
		var q question
		if b.Boot(b.Open(link), &q); q.Screen != "sign-out" {
			t.Fatalf("%q leads to %s", to, link)
		}
		if back := b.Send("/auth/openid/logout/confirm", url.Values{"account": {q.Session.ID}, "request": {q.Client.Request}}); back.Next() != want {
			t.Errorf("%q: after the answer the browser goes to %s, want %s", to, back.Next(), want)
		}
		if again := b.Open(link); again.Next() != want {
			t.Errorf("%q: signed out, the browser goes to %s, want %s", to, again.Next(), want)
		}
	}
}

// The browser never goes to an address that is not the client's, and the user may
// still sign out.
func TestLogout_NeverElsewhere(t *testing.T) {
	t.Parallel()
	s := startTold(t)
	b := s.signedIn("mara@example.org")
	id := s.site.tokens(b).ID
	forged := id[:len(id)-8] + "AAAAAAAA"
	for name, asked := range map[string][]string{
		"unregistered":       {"client_id", "rp", "post_logout_redirect_uri", "https://evil.test/"},
		"a redirect address": {"client_id", "rp", "post_logout_redirect_uri", rpBack},
		"a prefix":           {"client_id", "rp", "post_logout_redirect_uri", bye + "x"},
		"no client":          {"post_logout_redirect_uri", bye},
		"unknown client":     {"client_id", "none", "post_logout_redirect_uri", bye},
		"another client":     {"client_id", "other", "id_token_hint", id, "post_logout_redirect_uri", bye},
		"forged hint":        {"id_token_hint", forged, "post_logout_redirect_uri", bye},
		"no hint at all":     {"id_token_hint", "x", "client_id", "rp", "post_logout_redirect_uri", bye},
	} {
		p := b.Open(logout(asked...))
		var q question
		if b.Boot(p, &q); p.StatusCode != 422 || q.Screen != "sign-out" || q.Notice == "" || q.Client.Request != "" {
			t.Errorf("%s: %d %+v", name, p.StatusCode, q)
		}
		sent := b.Send("/auth/openid/logout/confirm", url.Values{"account": {q.Session.ID}, "request": {change(url.Values{}, asked...).Encode()}})
		if sent.StatusCode != 422 || sent.Next() != "" {
			t.Errorf("%s, in the form: %d %s", name, sent.StatusCode, sent.Next())
		}
		if b.Boot(sent, &q); q.Screen != "sign-out" || q.Notice == "" || q.Client.Request != "" || q.Here != "/auth/openid/logout" {
			t.Errorf("%s, in the form: the user is asked %+v", name, q)
		}
		if p := s.Browser().Open(logout(asked...)); p.StatusCode != 422 {
			t.Errorf("%s, signed out: %d %s", name, p.StatusCode, p.Next())
		}
	}
	p := b.Send("/auth/openid/logout/confirm", url.Values{"account": {s.userInfo(s.site.tokens(b).Access).Sub}, "request": {""}})
	if p.Next() != "/auth/signed-out" {
		t.Errorf("without an address the browser goes to %s", p.Next())
	}
}

// The question of one user signs out no other.
func TestLogout_AnotherUser(t *testing.T) {
	t.Parallel()
	s := startTold(t)
	b := s.signedIn("mara@example.org")
	var q question
	b.Boot(b.Open(logout("client_id", "rp")), &q)
	s.Person("noor@example.org")
	b.SignIn("noor@example.org")
	p := b.Send("/auth/openid/logout/confirm", url.Values{"account": {q.Session.ID}, "request": {q.Client.Request}})
	if p.Next() != logout("client_id", "rp") {
		t.Errorf("%d %s", p.StatusCode, p.Next())
	}
	if _, err := s.Flows.Session(t.Context(), b.Cookie("session")); err != nil {
		t.Error("the other user is signed out")
	}
}

// A request may be a form of the client's page, whose request has no cookies.
func TestLogout_ByPost(t *testing.T) {
	t.Parallel()
	s := startTold(t)
	got := s.post("/auth/openid/logout", url.Values{"client_id": {"rp"}, "state": {"x"}}, "Origin", "https://rp.test")
	if got.StatusCode != 303 || got.Header.Get("Location") != logout("client_id", "rp", "state", "x") {
		t.Errorf("%d %s", got.StatusCode, got.Header.Get("Location"))
	}
}

// An ID token with many groups is too long for a URL, so that an app sends it in a form.
func TestLogout_ByLongPost(t *testing.T) {
	t.Parallel()
	s := told{site: startFor(t, func(c *config.Config) {
		c.Clients[0].LogoutReturns, c.Clients[0].ExtraClaims = []string{bye}, []string{"long='" + strings.Repeat("x", 8<<10) + "'"}
	})}
	b := s.signedIn("mara@example.org")
	form := url.Values{"id_token_hint": {s.site.tokens(b).ID}, "post_logout_redirect_uri": {bye}, "state": {"x"}}
	var q question
	b.Boot(b.Open(b.Send("/auth/openid/logout", form).Next()), &q)
	if p := b.Send("/auth/openid/logout/confirm", url.Values{"account": {q.Session.ID}, "request": {q.Client.Request}}); q.Screen != "sign-out" || p.Next() != bye+"&state=x" {
		t.Errorf("the browser goes from %s to %q", q.Screen, p.Next())
	}
	for name, value := range map[string]string{"client_id": "other", "id_token_hint": form.Get("id_token_hint") + "x", "post_logout_redirect_uri": bye + "x"} {
		wrong := maps.Clone(form)
		wrong.Set(name, value)
		if p := b.Send("/auth/openid/logout", wrong); p.StatusCode != 422 || p.Next() != "" {
			t.Errorf("another %s: %d %s", name, p.StatusCode, p.Next())
		}
	}
}
