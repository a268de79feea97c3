package app

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"portico/internal/config"
	"portico/internal/flow"
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
