package flow_test

import (
	"errors"
	"net/url"
	"slices"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/assertion"
	"portico/internal/flow"
	"portico/internal/openid"
	"portico/internal/session"
	"portico/internal/signingkey"
	"portico/internal/store"
)

// A node answers for an access token from memory. Whatever ends or changes its grant
// counts at once on the node where it happens, and on another one as soon as that has
// looked for ended sessions.
func TestBearer_FromMemory(t *testing.T) {
	t.Parallel()
	type ends func(v *visitor, client openid.Client, code string, t openid.Tokens) error
	for name, end := range map[string]ends{
		"the access token is revoked": func(v *visitor, client openid.Client, _ string, t openid.Tokens) error {
			return v.OpenID.RevokeToken(v.Context(), v.Caller, client, t.Access)
		},
		"the client is forgotten": func(v *visitor, client openid.Client, _ string, _ openid.Tokens) error {
			_, err := v.Operator.ForgetClient(v.Context(), flow.ByOperator, client.ID)
			return err
		},
		"the refresh token is revoked": func(v *visitor, client openid.Client, _ string, t openid.Tokens) error {
			return v.OpenID.RevokeToken(v.Context(), v.Caller, client, t.Refresh)
		},
		"the code is used again": func(v *visitor, client openid.Client, code string, _ openid.Tokens) error {
			if _, err := v.redeem(client, code); err == nil {
				v.Error("a code gives tokens twice")
			}
			return nil
		},
		"the app is removed": func(v *visitor, client openid.Client, _ string, _ openid.Tokens) error {
			found, err := v.Flows.Session(v.Context(), v.Caller.Session)
			if err != nil {
				return err
			}
			return v.Owner.RemoveApp(v.Context(), v.Caller, found, client.ID)
		},
		"the user signs out": func(v *visitor, _ openid.Client, _ string, _ openid.Tokens) error {
			return v.Flows.SignOut(v.Context(), v.Caller)
		},
		"the account is closed": func(v *visitor, _ openid.Client, _ string, t openid.Tokens) error {
			return v.Operator.SetUserState(v.Context(), flow.ByOperator, t.Live.User.ID, account.DisabledByOperator)
		},
		"the user is erased": func(v *visitor, _ openid.Client, _ string, t openid.Tokens) error {
			return v.Operator.DeleteUser(v.Context(), flow.ByOperator, t.Live.User.ID)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := twoNodes(t)
			code, tokens := n.authorize()
			n.knows("before", tokens.Access, true, true)
			if err := end(n.visitor, n.client, code, tokens); err != nil {
				t.Fatal(err)
			}
			n.knows("after", tokens.Access, false, true)
			n.follow()
			n.knows("after the other node has looked", tokens.Access, false, false)
		})
	}
}

// A session without a second factor gives no code for a request that must have one, whatever was judged before.
func TestAuthorize_TooWeak(t *testing.T) {
	t.Parallel()
	n := twoNodes(t)
	asked := url.Values{
		"client_id": {"rp"}, "redirect_uri": {"https://rp.test/cb"}, "response_type": {"code"}, "scope": {"openid"},
		"claims": {`{"id_token":{"acr":{"essential":true,"value":"2"}}}`},
	}
	request, err := openid.NewClients([]openid.Client{n.client}).ParseRequest(asked)
	if err != nil {
		t.Fatal(err)
	}
	authorize := func(found session.Found) error {
		_, err := n.OpenID.Authorize(n.Context(), n.Caller, found, request, flow.Mark{}, false)
		return err
	}
	found := n.found()
	var wrong *openid.Error
	if err := authorize(found); !errors.As(err, &wrong) || wrong.Code != "unmet_authentication_requirements" {
		t.Errorf("without a second factor: %v", err)
	}
	found.Session.StrongAt = n.clock.Now()
	if err := authorize(found); err != nil {
		t.Errorf("with one: %v", err)
	}
}

// An access token of a client that is no longer in the settings, or whose rules now refuse the user,
// does not work, after a reload or a restart. It works again with the client.
func TestBearer_ChangedClient(t *testing.T) {
	t.Parallel()
	n := twoNodes(t)
	_, tokens := n.authorize()
	n.knows("before", tokens.Access, true, true)
	stricter := n.client
	stricter.Rules = func(openid.Standing, time.Time) openid.Ruling { return openid.NotAdmitted }
	for name, list := range map[string][]openid.Client{"removed": nil, "stricter": {stricter}} {
		changed := n.settings
		changed.Clients = openid.NewClients(list)
		restarted := flow.New(changed)
		changed.Before = &n.other
		for what, flows := range map[string]flow.All{"a restart": restarted, "a reload": flow.New(changed)} {
			if _, ok, err := flows.OpenID.Bearer(t.Context(), tokens.Access); ok || err != nil {
				t.Errorf("after %s the token of a %s client works: %v, %v", what, name, ok, err)
			}
		}
	}
	n.knows("with the client", tokens.Access, true, true)
}

// New roles and a new picture of the user are in the next answer, and a refresh ends no access token.
func TestBearer_IsCurrent(t *testing.T) {
	t.Parallel()
	n := twoNodes(t)
	_, tokens := n.authorize()
	n.knows("before", tokens.Access, true, true)
	current := func(what string, is func(openid.User) bool) {
		t.Helper()
		n.follow()
		for i, flows := range []flow.All{n.All, n.other} {
			if b, ok, err := flows.OpenID.Bearer(t.Context(), tokens.Access); err != nil || !ok || !is(b.Live.User) {
				t.Errorf("%s on node %d: %v %v: %v", what, i+1, ok, err, b.Live.User)
			}
		}
	}
	if err := n.Operator.SetUserRoles(t.Context(), flow.ByOperator, tokens.Live.User.ID, []string{"editor"}); err != nil {
		t.Fatal(err)
	}
	current("the roles", func(u openid.User) bool { return slices.Equal(u.Roles, []string{"editor"}) })
	if err := n.Owner.SetPortrait(t.Context(), n.Caller, n.found(), small(t)); err != nil {
		t.Fatal(err)
	}
	current("the picture", func(u openid.User) bool { return u.Portrait != "" })
	if err := n.Owner.RemovePortrait(t.Context(), n.Caller, n.found()); err != nil {
		t.Fatal(err)
	}
	current("no picture", func(u openid.User) bool { return u.Portrait == "" })
	next, err := n.OpenID.RefreshTokens(t.Context(), n.Caller, n.client, openid.Renewal{Refresh: tokens.Refresh}, assertion.KeyProof{})
	if err != nil {
		t.Fatal(err)
	}
	n.knows("before the refresh", tokens.Access, true, true)
	n.knows("after the refresh", next.Access, true, true)
	n.clock.Advance(openid.AccessLife)
	n.knows("at its end", next.Access, false, false)
}

// A text that this installation has not made as a code or a refresh token is refused without the
// writer, which a stranger could keep busy otherwise.
func TestRedeem_GarbageMeetsNoWriter(t *testing.T) {
	t.Parallel()
	n := twoNodes(t)
	code, tokens := n.authorize()
	err := n.store.Store.Write(t.Context(), func(*store.Tx) error {
		for text, want := range map[string]string{"": "invalid_request", "x": "invalid_grant", code[1:]: "invalid_grant", code + "x": "invalid_grant", tokens.Access: "invalid_grant"} {
			_, first := n.redeem(n.client, text)
			_, second := n.OpenID.RefreshTokens(t.Context(), n.Caller, n.client, openid.Renewal{Refresh: text}, assertion.KeyProof{})
			for _, err := range []error{first, second} {
				if wrong, ok := errors.AsType[*openid.Error](err); !ok || wrong.Code != want {
					t.Errorf("%q: %v, want %s", text, err, want)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A device that asks again at once meets no writer either.
func TestRedeemDevice_TooSoonMeetsNoWriter(t *testing.T) {
	t.Parallel()
	n := twoNodes(t)
	tv := openid.Client{ID: "tv", Device: true, Scopes: []string{"openid"}}
	codes, err := n.OpenID.BeginDevice(t.Context(), n.Caller, tv, "openid", nil)
	if err != nil {
		t.Fatal(err)
	}
	polls := func(want string) {
		t.Helper()
		_, err := n.OpenID.RedeemDevice(t.Context(), n.Caller, tv, codes.Device, nil, assertion.KeyProof{})
		if wrong, ok := errors.AsType[*openid.Error](err); !ok || wrong.Code != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	polls("authorization_pending")
	n.clock.Advance(openid.DevicePause / 2)
	if err := n.store.Store.Write(t.Context(), func(*store.Tx) error { polls("slow_down"); return nil }); err != nil {
		t.Fatal(err)
	}
	n.clock.Advance(openid.DevicePause / 2)
	polls("authorization_pending")
}

// nodes are two nodes on one database, and a user with a session on the first one.
type nodes struct {
	*visitor
	client   openid.Client
	other    flow.All
	sessions *session.Keeper // of the other node
	settings flow.Config     // of the other node
}

func twoNodes(t *testing.T, options ...option) *nodes {
	t.Helper()
	var far flow.Config
	client := openid.Client{ID: "rp", Name: "rp", Code: true, RedirectURIs: []string{"https://rp.test/cb"}, Scopes: []string{"openid", "groups"}}
	b := setup(t, append(options, func(c *flow.Config) {
		c.Clients = openid.NewClients([]openid.Client{client})
		c.Keys = signingkey.NewKeeper(signingkey.Config{Clock: c.Clock, Box: c.Key.Box("keys"), Longest: time.Hour})
		far = *c
	})...)
	n := &nodes{visitor: b.visitor("192.0.2.1"), client: client}
	n.sessions = session.NewKeeper(session.Config{Clock: b.clock, Idle: 7 * 24 * time.Hour, Absolute: 30 * 24 * time.Hour, CacheMax: 10})
	far.Sessions = n.sessions
	n.other, n.settings = flow.New(far), far
	n.register("mara@example.org")
	return n
}

// follow is what each node does twice a second.
func (n *nodes) follow() {
	n.Helper()
	err := n.store.Store.Read(n.Context(), func(tx *store.Tx) error {
		_, err := n.sessions.Follow(n.Context(), tx)
		return err
	})
	if err != nil {
		n.Fatal(err)
	}
}

func (n *nodes) authorize() (code string, t openid.Tokens) {
	n.Helper()
	found := n.found()
	code, err := n.OpenID.Authorize(n.Context(), n.Caller, found, openid.Request{Client: n.client, RedirectURI: "https://rp.test/cb", Scopes: n.client.Scopes}, flow.Mark{}, false)
	if err != nil {
		n.Fatal(err)
	}
	if t, err = n.redeem(n.client, code); err != nil {
		n.Fatal(err)
	}
	return code, t
}

func (v *visitor) redeem(client openid.Client, code string) (openid.Tokens, error) {
	return v.OpenID.RedeemCode(v.Context(), v.Caller, client, openid.Redemption{Code: code, RedirectURI: "https://rp.test/cb"}, assertion.KeyProof{})
}

// knows expects whether an access token works on the node of the user and on the
// other one, each time asked twice.
func (n *nodes) knows(when, access string, here, there bool) {
	n.Helper()
	for range 2 {
		for i, flows := range []flow.All{n.All, n.other} {
			if _, ok, err := flows.OpenID.Bearer(n.Context(), access); err != nil || ok != []bool{here, there}[i] {
				n.Errorf("%s: on node %d it works: %v, %v", when, i+1, ok, err)
			}
		}
	}
}
