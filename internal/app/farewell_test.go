package app

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/outbox"
)

// A client is told once about a session that ends. A node that ends it tells at once. Another
// process has no runner, and a node tells within a second, long before the outbox looks by itself.
func TestWork_TellsClientsInTime(t *testing.T) {
	t.Parallel()
	for name, within := range map[string]time.Duration{"a node": 0, "another process": time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var told atomic.Int32
			client := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { told.Add(1) }))
			t.Cleanup(client.Close)
			client.Config.SetKeepAlivesEnabled(false) // an idle connection would stop the time of the bubble
			inBubble(t, func(t *testing.T, work func(*App)) {
				cfg := settings(t, t.TempDir())
				cfg.Clients = []config.Client{{
					ID: "rp", Public: true, PKCE: true, RedirectURIs: []string{"https://rp.test/cb"}, LogoutURI: client.URL, IDTokenAlg: "ES256", AccessToken: "opaque",
				}}
				first, second, command := open(t, cfg, Options{}), open(t, cfg, Options{}), open(t, cfg, Options{})
				t.Cleanup(func() { first.end(t); second.end(t); command.end(t) })
				for _, node := range []*App{first, second} {
					if err := node.Operator.FollowKeys(t.Context()); err != nil {
						t.Fatal(err)
					}
					work(node)
				}
				grant := first.granted(t, "v@example.org")
				synctest.Wait()
				ends := map[string]*App{"a node": second, "another process": command}[name]
				if _, err := ends.Operator.EndUserSessions(context.Background(), flow.ByOperator, grant.AccountID); err != nil {
					t.Fatal(err)
				}
				time.Sleep(within)
				synctest.Wait()
				if n := told.Load(); n != 1 {
					t.Errorf("after %v the client is told %d times", within, n)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				if n := told.Load(); n != 1 {
					t.Errorf("after a minute the client is told %d times", n)
				}
			})
		})
	}
}

// A node whose settings have no client yet leaves the message about an ended session to others.
func TestWork_ClientOfOtherNodes(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, work func(*App)) {
		cfg := settings(t, t.TempDir())
		second := open(t, cfg, Options{})
		cfg.Clients = []config.Client{{
			ID: "rp", Public: true, PKCE: true, RedirectURIs: []string{"https://rp.test/cb"}, LogoutURI: "https://rp.test/logout", IDTokenAlg: "ES256", AccessToken: "opaque",
		}}
		first := open(t, cfg, Options{})
		t.Cleanup(func() { first.end(t); second.end(t) })
		work(second)
		grant := first.granted(t, "v@example.org")
		if _, err := first.Operator.EndUserSessions(context.Background(), flow.ByOperator, grant.AccountID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		waiting, _, _, err := first.Unsent(t.Context(), 9, outbox.Logouts)
		if err != nil || len(waiting) != 1 || !strings.Contains(waiting[0].Reason, "no client rp") {
			t.Errorf("the messages that wait are %+v, %v", waiting, err)
		}
	})
}
