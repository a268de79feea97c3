package security

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/signature"
	"portico/internal/store"
	"portico/internal/testform"
)

// What a receiver answers is text on the admin page, without a secret of it. Who tests or retries is in the record,
// and must still be an admin when it happens.
func TestSEC417_WebhooksOfAdmins(t *testing.T) {
	announce(t)
	t.Parallel()
	came := make(chan string, 100)
	var hostile atomic.Bool
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hostile.Load() {
			w.WriteHeader(http.StatusGone)
			_, _ = io.WriteString(w, "<script>alert(1)</script>\u202egpj.exe\x00"+strings.Repeat("x", 5000))
		}
		came <- r.Header.Get(signature.HeaderID)
	}))
	t.Cleanup(receiver.Close)
	shared := signature.NewKey()
	s := start(t, func(c *config.Config) {
		c.Webhooks = []config.Webhook{{Name: "shop", URL: receiver.URL + "/in?key=hunter2", Events: []string{"account.roles_changed"}, Secret: shared, Private: true, Key: "webhook.1"}}
	})
	next := func() (id string) {
		t.Helper()
		select {
		case id = <-came:
		case <-time.After(testform.Patience):
			t.Fatal("no request came")
		}
		return id
	}
	const root = "/auth/api/admin/webhooks"
	admin, _ := s.admin()
	next()
	var shown string
	until := func(state string) {
		t.Helper()
		for deadline := time.Now().Add(testform.Patience); !strings.Contains(shown, state); time.Sleep(5 * time.Millisecond) {
			if shown = admin.get(root + "/shop").must(200).body; time.Now().After(deadline) {
				t.Fatal(shown)
			}
		}
	}
	until(`"state":"works","waiting":0`)
	s.clock.Advance(time.Second)
	hostile.Store(true)
	user := s.operator(fresh("u"), good).ID
	admin.calls("POST /auth/api/admin/people/{id}/roles", user).must(200)
	dropped := next()
	until(`"state":"failing","waiting":0`)
	for _, secret := range []string{"hunter2", shared, "<script", "\u202e", `\u202e`, `\u0000`, strings.Repeat("x", 2048)} {
		if strings.Contains(shown, secret) || strings.Contains(admin.get(root).must(200).body, secret) {
			t.Errorf("the answer has %q:\n%s", secret, shown)
		}
	}
	if !strings.Contains(shown, "gpj.exe") || !strings.Contains(shown, `"state":"dropped"`) || !strings.Contains(shown, user) {
		t.Errorf("the answer is %s", shown)
	}
	var page struct{ Next string }
	if err := json.Unmarshal([]byte(admin.get(root+"/shop?limit=1").must(200).body), &page); err != nil {
		t.Fatal(err)
	}
	if second := admin.get(root + "/shop?limit=1&after=" + page.Next).must(200).body; !strings.Contains(second, `"id":"msg_`) {
		t.Errorf("the second page after %q is %s", page.Next, second)
	}
	id, secret := s.key(admin.id(), "webhooks:read", "webhooks:write")
	asKey := func(path, body string) *answer {
		return s.visitor().do("POST", root+path, body, http.Header{"Authorization": {"Bearer " + secret}, "Content-Type": {"application/json"}, "Idempotency-Key": {`"once"`}})
	}
	if a := asKey("/shop/test", `{}`).must(200); !strings.Contains(a.body, `"delivered":false`) || a.body != asKey("/shop/test", `{}`).must(200).body {
		t.Errorf("a test of a key gets %s", a.body)
	}
	next()
	s.clock.Advance(time.Second)
	header := admin.ours("application/json")
	admin.do("POST", root+"/shop/test", `{}`, header).must(200)
	next()
	admin.do("POST", root+"/shop/retry", `{"id":"msg_nosuch"}`, header).refused(404, "webhook.unknown")
	admin.do("POST", root+"/other/retry", `{}`, header).refused(404, "webhook.missing")
	if a := admin.do("POST", root+"/shop/retry", `{"before":"2006-01-02T15:04:05Z"}`, header).must(200); a.body != `{"queued":0,"more":false,"before":"2006-01-02T15:04:05Z"}` {
		t.Errorf("a retry of what was dropped before gets %q", a.body)
	}
	if a := admin.do("POST", root+"/shop/retry", `{"id":"`+dropped+`"}`, header).must(200); !strings.Contains(a.body, `{"queued":1,"more":false,`) {
		t.Errorf("a retry gets %s", a.body)
	}
	if again := next(); again != dropped {
		t.Errorf("%s came again as %s", dropped, again)
	}
	tests, retries := admin.record("kind=webhook_tested").Facts, admin.record("kind=webhook_retried").Facts
	if len(tests) != 2 || tests[0].Actor.ID != admin.id() || tests[1].Actor.Kind != "key" || tests[1].Actor.ID != id || tests[0].Detail != "shop" {
		t.Errorf("the tests are recorded as %+v", tests)
	}
	if len(retries) != 1 || retries[0].Actor.ID != admin.id() || retries[0].Detail != "shop,"+dropped {
		t.Errorf("the retry is recorded as %+v", retries)
	}
	// Another node takes the role, and the session that is known here still has it.
	s.must(s.app.Store.Write(t.Context(), func(tx *store.Tx) error {
		return tx.UpdateRoles(t.Context(), admin.id(), nil)
	}))
	admin.do("POST", root+"/shop/test", `{}`, header).must(404)
	admin.do("POST", root+"/shop/retry", `{"id":"`+dropped+`"}`, header).must(404)
	if len(came) > 0 {
		t.Error("a test of a former admin was sent")
	}
}
