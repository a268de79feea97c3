package issuer_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"portico/internal/apptest"
	"portico/internal/config"
	"portico/internal/farewell"
	"portico/internal/flow"
	"portico/internal/outbox"
	"portico/internal/store"
)

// leavesAs signs a user in at a client whose users are asked, and out again. It returns the ID token.
func (s *site) leavesAs(b *apptest.Browser, id, uri string, between func()) string {
	s.Helper()
	token := s.entersAs(b, id, uri)
	between()
	b.Send("/auth/signout", nil)
	return token
}

// entersAs signs a user in at such a client. It returns the ID token.
func (s *site) entersAs(b *apptest.Browser, id, uri string) string {
	s.Helper()
	b.SignIn("mara@example.org")
	page := s.asked(b, "client_id", id, "redirect_uri", uri)
	code := back(s.TB.(*testing.T), answers(b, page, "allow")).Get("code")
	got := s.token(redemption(code, "client_id", id, "client_secret", "", "redirect_uri", uri))
	if got.StatusCode != 200 {
		s.Fatalf("no tokens: %d %s", got.StatusCode, got.text)
	}
	return got.ID
}

// toldOf expects that the next message to a client is about the session of an ID token.
func (s told) toldOf(what, idToken, clientID string) {
	s.Helper()
	id, claims := s.verified(idToken, clientID), s.next(clientID)
	if claims["sub"] != id["sub"] || claims["sid"] != id["sid"] || claims["events"] == nil || claims["nonce"] != nil {
		s.Errorf("%s: the client is told %v about the session %v", what, claims, id["sid"])
	}
}

// An unknown app that names an address at its own host is told, if its document still says so.
func TestGuest_IsTold(t *testing.T) {
	t.Parallel()
	const uri = "https://app.test/cb"
	p := publish(t, nil)
	s := startGuests(t, p)
	s.Person("mara@example.org")
	b := s.Browser()
	p.told.site = s
	says := func(address any) func() {
		return func() {
			p.says(map[string]any{"backchannel_logout_uri": address})
			s.Clock.Advance(6 * time.Minute) // the document is loaded again
		}
	}
	good := says(p.URL + "/logout")
	for what, address := range map[string]any{"no address": nil, "another host": strings.Replace(p.URL, "127.0.0.1", "localhost", 1) + "/logout", "no text": 1} {
		good()
		s.leavesAs(b, p.id, uri, says(address))
		if p.told.settled(); len(p.told.tokens) > 0 {
			t.Fatalf("%s: the app is told", what)
		}
	}
	for what, status := range map[string]int32{"not found": 404, "gone": 410, "no metadata": 200} {
		good()
		s.leavesAs(b, p.id, uri, func() {
			says(nil)()
			p.says(map[string]any{"client_id": "another", "backchannel_logout_uri": p.URL + "/logout"})
			p.fails.Store(status)
		})
		p.told.settled() // a message that is tried again stays
		if p.fails.Store(0); len(p.told.tokens) > 0 {
			t.Fatalf("%s: the app is told", what)
		}
	}
	good()
	b.SignIn("mara@example.org")
	answers(b, s.asked(b, "client_id", p.id, "redirect_uri", uri), "allow") // the app does not redeem the code
	b.Send("/auth/signout", nil)
	p.told.answer <- 500
	id := s.leavesAs(b, p.id, uri, func() {})
	p.told.toldOf("at first", id, p.id)
	p.told.again()
	p.told.toldOf("again", id, p.id)
	p.told.settled()
	p.told.quiet()
}

// Guests whose documents load slowly delay guests alone.
func TestGuest_SlowDelaysGuests(t *testing.T) {
	t.Parallel()
	const many = 100 // they would take the time of a test
	release, loads := make(chan struct{}), make(chan struct{}, many)
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		loads <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(slow.Close)
	p, known := publish(t, nil), newTold()
	client := httptest.NewServer(known)
	t.Cleanup(client.Close)
	s := startFor(t, func(c *config.Config) {
		c.OpenID.ClientDocuments, c.OpenID.ClientOrigins = true, []string{p.URL, slow.URL}
		c.Clients[0].LogoutURI = client.URL + "/logout"
	})
	known.site, p.told.site = s, s
	p.says(map[string]any{"backchannel_logout_uri": p.URL + "/logout"})
	s.Person("mara@example.org")
	b := s.Browser()
	id := s.leavesAs(b, p.id, "https://app.test/cb", func() {
		s.tokens(b)
		err := s.Store.Write(t.Context(), func(tx *store.Tx) error {
			for i := range many {
				m := outbox.Message{Template: outbox.GuestLogoutTemplate, To: slow.URL + "/" + strconv.Itoa(i)}
				if err := s.Outbox.Enqueue(t.Context(), tx, m); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for range farewell.ParallelGuests {
			<-loads
		}
		s.Clock.Advance(time.Second) // later than these
	})
	known.next("rp")
	if len(p.told.tokens) > 0 {
		t.Error("a guest does not wait for other guests")
	}
	close(release)
	p.told.toldOf("afterwards", id, p.id)
}

// A registered client is told at the address that it has registered last.
func TestRegistered_IsTold(t *testing.T) {
	t.Parallel()
	const uri = "http://127.0.0.1/cb"
	first, second := newTold(), newTold()
	old, now := httptest.NewServer(first), httptest.NewServer(second)
	t.Cleanup(old.Close)
	t.Cleanup(now.Close)
	s := startFor(t, func(c *config.Config) {
		c.OpenID.Registration, c.OpenID.ClientOrigins = true, []string{old.URL, now.URL}
	})
	s.Person("mara@example.org")
	first.site, second.site = s, s
	b := s.Browser()
	initial, _, err := s.Operator.AllowRegistrations(t.Context(), flow.ByOperator, 9, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	var client struct {
		ID       string `json:"client_id"`
		Token    string `json:"registration_access_token"`
		Logout   string `json:"backchannel_logout_uri"`
		Required bool   `json:"backchannel_logout_session_required"`
	}
	send := func(method, path, token string, members map[string]any) reply {
		t.Helper()
		text, _ := json.Marshal(members)
		client.Logout, client.Required = "", false
		got := s.send(method, path, string(text), "Content-Type", "application/json", "Authorization", "Bearer "+token)
		_ = json.Unmarshal([]byte(got.text), &client)
		return got
	}
	metadata := func(address any) map[string]any {
		return map[string]any{
			"client_id": client.ID, "redirect_uris": []string{uri}, "token_endpoint_auth_method": "none",
			"backchannel_logout_uri": address, "backchannel_logout_session_required": true,
		}
	}
	const path = "/auth/openid/register"
	for what, address := range map[string]any{
		"another host": "https://app.test/logout", "another origin": "http://127.0.0.1:1/logout", "https in place": strings.Replace(old.URL, "http", "https", 1), "a query": old.URL + "/?x=1", "a fragment": old.URL + "/#x", "a number": 1,
	} {
		s.wants(what, send("POST", path, initial, metadata(address)), 400, "invalid_client_metadata")
	}
	bad := metadata(nil)
	bad["backchannel_logout_session_required"] = "yes"
	s.wants("no bool", send("POST", path, initial, bad), 400, "invalid_client_metadata")
	if got := send("POST", path, initial, metadata(old.URL+"/logout")); got.StatusCode != 201 || client.Logout != old.URL+"/logout" || !client.Required {
		t.Fatalf("the registration: %d %s", got.StatusCode, got.text)
	}
	own, token := path+"/"+client.ID, client.Token
	changes := func(address any) func() {
		return func() {
			t.Helper()
			if got := send("PUT", own, token, metadata(address)); got.StatusCode != 200 || address == nil && client.Logout != "" || address != nil && client.Logout != address {
				t.Fatalf("the change: %d %s", got.StatusCode, got.text)
			}
		}
	}
	first.toldOf("at first", s.leavesAs(b, client.ID, uri, func() {}), client.ID)
	second.toldOf("after a change", s.leavesAs(b, client.ID, uri, changes(now.URL+"/logout")), client.ID)
	s.leavesAs(b, client.ID, uri, changes(nil))
	second.settled()
	second.answer <- 500
	id := s.leavesAs(b, client.ID, uri, changes(now.URL+"/logout"))
	second.toldOf("after an address that was taken back", id, client.ID)
	second.again()
	second.toldOf("again", id, client.ID)
	second.settled() // before the clock moves: a message that is on its way for days comes again
	changes(nil)()
	aged := second.verified(s.entersAs(b, client.ID, uri), client.ID)
	changes(now.URL + "/logout")()
	s.Clock.Advance(8 * 24 * time.Hour)
	second.endAged()
	if got := second.next(client.ID); got["sid"] != aged["sid"] {
		t.Errorf("after an end by age that came before the address: told %v about the session %v", got, aged["sid"])
	}
	second.settled()
	s.leavesAs(b, client.ID, uri, func() {
		if got := send("DELETE", own, token, nil); got.StatusCode != 204 {
			t.Fatalf("the end: %d %s", got.StatusCode, got.text)
		}
	})
	second.settled()
	first.quiet()
	second.quiet()
}
