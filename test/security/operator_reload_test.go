package security

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"portico/internal/clock"
	"portico/internal/openid"
	"portico/internal/secret"
	"portico/internal/server/ops"
)

// Only a process that can read the master key may ask for a reload, or for refused requests: a page in
// the operator's browser can reach the operations listener, and so may other
// machines.
func TestSEC218_ReloadNeedsTheMasterKey(t *testing.T) {
	announce(t)
	t.Parallel()
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	key, reloads := secret.NewKey(), 0
	handler := ops.New(ops.Config{
		Stopping: func() bool { return false }, Ping: func(context.Context) error { return nil }, Metrics: http.NotFoundHandler(),
		Reload: ops.Reload{
			Do:       func(context.Context) ops.Reloaded { reloads++; return ops.Reloaded{} },
			Refusals: func(string) []openid.Refusal { reloads++; return nil },
			Proof:    key.MAC(ops.ReloadPurpose), Clock: clock.NewManual(now),
		},
	})
	asks := func(path, method, proof string) int {
		r := httptest.NewRequest(method, "http://127.0.0.1:9080"+path, nil)
		if proof != "" {
			r.Header.Set("Authorization", proof)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Code
	}
	ask := func(method, proof string) int {
		status := asks(ops.ReloadPath, method, proof)
		if other := asks(ops.RefusalsPath+"?client=rp", method, proof); other != status {
			t.Errorf("refused requests: %d, a reload: %d", other, status)
		}
		return status
	}
	mac := key.MAC(ops.ReloadPurpose)
	at := strconv.FormatInt(now.Unix(), 10)
	for name, proof := range map[string]string{
		"nothing":              "",
		"no hash":              "Portico " + at + ".",
		"an empty time":        "Portico ." + secret.Encode(mac.Sum("")),
		"another key":          ops.Prove(secret.NewKey().MAC(ops.ReloadPurpose), now),
		"another purpose":      ops.Prove(key.MAC("throttle"), now),
		"an old proof":         ops.Prove(mac, now.Add(-31*time.Second)),
		"a proof for later":    ops.Prove(mac, now.Add(31*time.Second)),
		"another time":         "Portico " + strconv.FormatInt(now.Unix()+1, 10) + "." + secret.Encode(mac.Sum(at)),
		"another scheme":       "Bearer " + at + "." + secret.Encode(mac.Sum(at)),
		"a shortened hash":     "Portico " + at + "." + secret.Encode(mac.Sum(at)[:16]),
		"another spelling":     "Portico +" + at + "." + secret.Encode(mac.Sum(at)),
		"the unkeyed hash":     "Portico " + at + "." + secret.Encode(secret.Hash(at)),
		"two times":            "Portico " + at + "." + at + "." + secret.Encode(mac.Sum(at)),
		"a time of a distance": "Portico 9223372036854775807." + secret.Encode(mac.Sum("9223372036854775807")),
	} {
		if status := ask("POST", proof); status != http.StatusForbidden || reloads != 0 {
			t.Errorf("%s: %d, %d reloads, want 403 and none", name, status, reloads)
		}
	}
	if status := ask("GET", ops.Prove(mac, now)); status != http.StatusMethodNotAllowed || reloads != 0 {
		t.Errorf("GET: %d, %d reloads", status, reloads)
	}
	if status := ask("POST", ops.Prove(mac, now)); status != http.StatusOK || reloads != 2 {
		t.Errorf("the key of this installation: %d, %d reloads", status, reloads)
	}
}
