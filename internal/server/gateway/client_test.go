package gateway_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"portico/internal/flow"
	"portico/internal/testform"

	client "portico.internal/clients/go"
)

// The Go client works behind the gateway. It gets the identity while keys
// rotate, and refuses a token whose key was revoked.
func TestClient(t *testing.T) {
	t.Parallel()
	var app http.Handler
	token := ""
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token = r.Header.Get("X-Portico-Token")
		app.ServeHTTP(w, r)
	}))
	t.Cleanup(upstream.Close)
	s := start(t, behind(upstream.URL, "public /*"))
	portico, err := client.New(s.origin, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	app = portico.Require(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, _ := client.User(r.Context())
		_, _ = io.WriteString(w, who.ID+" "+who.Name+" "+strings.Join(who.Roles, ","))
	}))
	cookie := s.person("mara@x.test", "admin", "editor")
	want := s.user("mara@x.test").ID + ` Mära, "Lind" admin,editor`
	visit := func() answer {
		return s.get("/app/x", fetch, "Cookie: "+cookie, "X-Portico-Token: forged", "X_Portico_Token: forged")
	}
	if a := visit(); a.body != want {
		t.Fatalf("a person: %d %s, want %s", a.status, a.body, want)
	}
	if a := s.get("/app/x?y", navigate); a.status != http.StatusSeeOther || a.header.Get("Location") != s.origin+"/auth/signin?return_to=%2Fapp%2Fx%3Fy" {
		t.Errorf("a navigation without a session: %d %s", a.status, a.header.Get("Location"))
	}
	if a := s.get("/app/x", fetch); a.status != http.StatusUnauthorized || !strings.Contains(a.body, s.origin+"/auth/signin") {
		t.Errorf("a fetch without a session: %d %s", a.status, a.body)
	}

	if _, err := s.app.Operator.RotateKey(t.Context(), flow.ByOperator); err != nil {
		t.Fatal(err)
	}
	if a := visit(); a.body != want {
		t.Errorf("after a rotation: %d %s", a.status, a.body)
	}
	first, old := token, s.app.Keys.Signer()
	if err := s.app.Operator.RevokeKey(t.Context(), flow.ByOperator, old); err != nil {
		t.Fatal(err)
	}
	if err := s.app.Operator.FollowKeys(t.Context()); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(testform.Patience); visit().body != want; time.Sleep(100 * time.Millisecond) { // two seconds between two fetches
		if time.Now().After(deadline) {
			t.Fatal("the key of a moment ago is not fetched")
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", upstream.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Portico-Token", first)
	a, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusUnauthorized || token != first {
		t.Errorf("a token of the revoked key, past the gateway: %d", a.StatusCode)
	}
}
