package ops

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"portico/internal/clock"
	"portico/internal/openid"
	"portico/internal/secret"
)

const (
	// ReloadPath is where `portico reload` asks for new settings.
	ReloadPath = "/reload"

	// RefusalsPath, with the parameter client, is where `portico why --client` asks for refused requests.
	RefusalsPath = "/refusals"
)

// proofLife is how far the times of the two processes, which run on one machine,
// may lie apart.
const proofLife = 30 * time.Second

// ReloadPurpose is the purpose of the keyed hash that proves a request.
const ReloadPurpose = "reload"

const scheme = "Portico "

// Reloaded is the result of a reload.
type Reloaded struct {
	Added    []string `json:"added"`              // providers, apps and OpenID clients: client "wiki"
	Removed  []string `json:"removed"`            // as well
	Changed  []string `json:"changed"`            // settings that have new values: brand.name, client "wiki": secret
	Restart  []string `json:"restart"`            // settings that keep their values until a restart
	Warnings []string `json:"warnings"`           // as of `portico config check`
	Problems []string `json:"problems,omitempty"` // why nothing has changed
}

// Reload configures ReloadPath and RefusalsPath.
type Reload struct {
	Do       func(context.Context) Reloaded
	Refusals func(clientID string) []openid.Refusal
	Proof    *secret.MAC // with the purpose ReloadPurpose
	Clock    clock.Clock
}

// Prove returns the Authorization header for both paths: a keyed hash of the
// time. Only who can read the master key can make it, so that neither another
// machine nor a web page in the operator's browser can ask.
func Prove(mac *secret.MAC, now time.Time) string {
	at := strconv.FormatInt(now.Unix(), 10)
	return scheme + at + "." + secret.Encode(mac.Sum(at))
}

// proven reports whether Prove made the header at about now.
func proven(mac *secret.MAC, header string, now time.Time) bool {
	text, ok := strings.CutPrefix(header, scheme)
	at, sum, both := strings.Cut(text, ".")
	seconds, err := strconv.ParseInt(at, 10, 64)
	sent, encoded := secret.Decode(sum)
	if !ok || !both || !encoded || err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > proofLife {
		return false
	}
	return mac.Is(sent, at)
}

// guard lets only a request pass that Prove has proven.
func (c Reload) guard(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !proven(c.Proof, r.Header.Get("Authorization"), c.Clock.Now()) {
			say(w, http.StatusForbidden, "use the commands of Portico on this machine, with the settings of the server")
			return
		}
		w.Header().Set("Content-Type", "application/json")
		next(w, r)
	})
}

func (c Reload) serve(w http.ResponseWriter, r *http.Request) {
	result := c.Do(r.Context())
	if len(result.Problems) > 0 {
		w.WriteHeader(http.StatusUnprocessableEntity)
	}
	_ = json.NewEncoder(w).Encode(result) // a client that has left does not read it
}

func (c Reload) refusals(w http.ResponseWriter, r *http.Request) {
	_ = json.NewEncoder(w).Encode(c.Refusals(r.URL.Query().Get("client"))) // as above
}
