package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/assertion"
	"portico/internal/config"
	"portico/internal/factor"
	"portico/internal/flow"
	"portico/internal/openid"
	"portico/internal/outbox"
	"portico/internal/secret"
	"portico/internal/session"
	"portico/internal/store"
)

// keyed is an installation whose master key changes: one node on SQLite, two on
// PostgreSQL.
type keyed struct {
	*testing.T
	mu    sync.Mutex
	cfg   config.Config // what a reload reads
	nodes []*running
	calls atomic.Int64

	mail   map[string]outbox.Message // the newest, by recipient
	refuse string                    // the recipient whose mail server refuses
}

const host = "app.example.org"

func newKeyed(t *testing.T) *keyed {
	k := &keyed{T: t, cfg: settings(t, t.TempDir()), mail: map[string]outbox.Message{}}
	k.cfg.SMTPURL, k.cfg.MailFrom = "smtp://127.0.0.1:1?tls=none", "no-reply@example.org"
	k.cfg.Clients = []config.Client{{ID: client().ID, Public: true, PKCE: true, RedirectURIs: client().RedirectURIs, Scopes: client().Scopes, IDTokenAlg: "ES256", AccessToken: "opaque"}}
	count := 1
	if !onSQLite(k.cfg) {
		count = 2
	}
	for range count {
		r := run(t, open(t, k.cfg, Options{Dist: dist(), Deliver: k.deliver, Load: k.load}))
		t.Cleanup(func() {
			r.stop()
			if err := <-r.stopped; err != nil {
				t.Error(err)
			}
			r.end(t)
		})
		if status, text := r.get(r.public + "/auth/api/session"); status != 401 {
			t.Fatal(status, text)
		}
		k.nodes = append(k.nodes, r)
	}
	return k
}

func (k *keyed) load() (config.Config, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.cfg, nil
}

// refusal is a failure that does not end by itself.
type refusal struct{ error }

func (refusal) Permanent() bool { return true }
func (refusal) Uncertain() bool { return false }

func (k *keyed) deliver(_ context.Context, m outbox.Message) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if m.To == k.refuse {
		return refusal{errors.New("550 not now")}
	}
	k.mail[m.To] = m
	return nil
}

// mailTo waits for an email to an address.
func (k *keyed) mailTo(address string) outbox.Message {
	k.Helper()
	for range 3000 {
		k.mu.Lock()
		m, ok := k.mail[address]
		delete(k.mail, address)
		k.mu.Unlock()
		if ok {
			return m
		}
		time.Sleep(10 * time.Millisecond)
	}
	k.Fatalf("no email for %s", address)
	return outbox.Message{}
}

// flows returns the flows of a node, in turn.
func (k *keyed) flows() *flow.All {
	return &k.nodes[int(k.calls.Add(1))%len(k.nodes)].live.Load().All
}

// visitor returns a caller in a network of its own.
func (k *keyed) visitor() flow.Caller {
	n := k.calls.Add(1)
	return flow.Caller{Peer: fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255), Locale: "en", BrowserCookie: secret.Token()}
}

// signIn signs in as a user of create.
func (k *keyed) signIn(address string) (flow.Caller, flow.Result, error) {
	c := k.visitor()
	r, err := k.flows().Flows.SignIn(k.Context(), c, flow.SignInInput{Email: address, Password: good})
	if r.Session != nil {
		c.Session = r.Session.Value
	}
	return c, r, err
}

func (k *keyed) found(c flow.Caller) session.Found {
	k.Helper()
	found, err := k.flows().Flows.Session(k.Context(), c.Session)
	if err != nil {
		k.Fatal(err)
	}
	return found
}

// register begins a sign-up and returns its flow and its mailed code.
func (k *keyed) register(address string) (c flow.Caller, id, code string, err error) {
	c = k.visitor()
	r, err := k.flows().Flows.SignUp(k.Context(), c, flow.SignUpInput{Name: "V", Email: address, Password: good, Confirm: good})
	if err != nil {
		return c, "", "", err
	}
	return c, r.FlowID, k.mailTo(address).Data["code"], nil
}

// enrol adds an authenticator app and returns its secret and the recovery codes.
func (k *keyed) enrol(c flow.Caller) (factor.Secret, []string) {
	k.Helper()
	f := k.flows().Owner
	begun, err := f.BeginFactor(k.Context(), c, k.found(c), flow.Target{})
	if err != nil {
		k.Fatal(err)
	}
	view, err := f.Enrolment(k.Context(), c, k.found(c), begun.FlowID)
	if err != nil {
		k.Fatal(err)
	}
	done, err := f.ConfirmFactor(k.Context(), c, k.found(c), begun.FlowID, view.Secret.At(time.Now()))
	if err != nil {
		k.Fatal(err)
	}
	c.Session = done.Session.Value
	codes, err := f.Enrolment(k.Context(), c, k.found(c), begun.FlowID)
	if err != nil {
		k.Fatal(err)
	}
	return view.Secret, codes.Codes
}

func client() openid.Client {
	return openid.Client{ID: "rp", Code: true, RedirectURIs: []string{"https://rp.test/cb"}, Scopes: []string{"openid", "offline_access"}}
}

func (k *keyed) code(c flow.Caller) string {
	k.Helper()
	code, err := k.flows().OpenID.Authorize(k.Context(), c, k.found(c), openid.Request{
		Client: client(), RedirectURI: "https://rp.test/cb", Scopes: client().Scopes, Challenge: secret.Encode(secret.Hash(verifier)),
	}, flow.Mark{}, false)
	if err != nil {
		k.Fatal(err)
	}
	return code
}

var verifier = strings.Repeat("v", 43)

func (k *keyed) redeem(code string) (openid.Tokens, error) {
	return k.flows().OpenID.RedeemCode(k.Context(), k.visitor(), client(), openid.Redemption{Code: code, RedirectURI: "https://rp.test/cb", Verifier: verifier}, assertion.KeyProof{})
}

// cross brings a session to the host of an app and returns the cookie there.
func (k *keyed) cross(token string) (string, error) {
	nonce := secret.Token()
	ticket, err := k.flows().Flows.IssueTicket(k.Context(), token, host, k.flows().Flows.Bind(host, nonce))
	if err != nil {
		return "", err
	}
	admission, err := k.flows().Flows.RedeemTicket(k.Context(), ticket, host)
	if err != nil {
		return "", err
	}
	value, _, err := k.flows().Flows.RedeemAdmission(k.Context(), admission, host, nonce)
	return value, err
}

// reload gives all nodes other key files, for a client that has left.
func (k *keyed) reload(file, next string) {
	k.Helper()
	k.mu.Lock()
	k.cfg.SecretFile, k.cfg.SecretNext = file, next
	k.mu.Unlock()
	left, leave := context.WithCancel(k.Context())
	leave()
	for _, n := range k.nodes {
		if r := n.Reload(left); len(r.Problems) > 0 {
			k.Fatal(r.Problems)
		}
	}
}

// change runs 'portico secret rotate'.
func (k *keyed) change(back bool) (KeyChange, error) {
	k.Helper()
	cfg, _ := k.load()
	a := open(k, cfg, Options{Existing: true})
	defer a.end(k)
	return a.ChangeKey(k.Context(), back, func(step string) { k.Log(step) })
}

// needs returns for what 'portico doctor' wants to keep the former key.
func (k *keyed) needs() []string {
	k.Helper()
	a := k.nodes[0]
	needs, err := KeyNeeds(k.Context(), a.Store, a.key, a.live.Load().config, time.Now())
	if err != nil {
		k.Fatal(err)
	}
	return needs
}

// traffic runs what visitors do, until stop is called.
func (k *keyed) traffic() (stop func()) {
	ctx, cancel := context.WithCancel(k.Context())
	var work sync.WaitGroup
	repeat := func(what string, do func(n int) error) {
		work.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				if err := do(n); err != nil && ctx.Err() == nil {
					k.Errorf("%s, the %dth: %v", what, n, err)
					return
				}
			}
		})
	}
	repeat("sign in", func(int) error {
		_, _, err := k.signIn("often@example.org")
		return err
	})
	repeat("sign up", func(int) error {
		c, id, code, err := k.register(fmt.Sprintf("new%d@example.org", k.calls.Add(1)))
		if err == nil {
			_, err = k.flows().Flows.VerifyCode(k.Context(), c, id, code)
		}
		return err
	})
	c, _, err := k.signIn("client@example.org")
	if err != nil {
		k.Fatal(err)
	}
	tokens, err := k.redeem(k.code(c))
	if err != nil {
		k.Fatal(err)
	}
	repeat("refresh and cross", func(int) (err error) {
		if tokens, err = k.flows().OpenID.RefreshTokens(k.Context(), k.visitor(), client(), openid.Renewal{Refresh: tokens.Refresh}, assertion.KeyProof{}); err != nil {
			return err
		}
		if _, ok, err := k.flows().OpenID.Bearer(k.Context(), tokens.Access); err != nil || !ok {
			return fmt.Errorf("the access token is refused (%w)", err)
		}
		_, err = k.cross(c.Session)
		return err
	})
	return func() { cancel(); work.Wait() }
}

func (k *keyed) retryDead() {
	k.Helper()
	err := k.nodes[0].Store.Write(k.Context(), func(tx *store.Tx) error {
		list, err := k.nodes[0].Outbox.Dead(k.Context(), tx, 10)
		if err != nil || len(list) != 1 || list[0].To == "" {
			return fmt.Errorf("dead letters %v (%w)", list, err)
		}
		_, err = k.nodes[0].Outbox.Retry(k.Context(), tx, list[0].ID)
		return err
	})
	if err != nil {
		k.Fatal(err)
	}
}

func (k *keyed) path(name string) string { return filepath.Join(filepath.Dir(k.cfg.SecretFile), name) }
