package flow_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/code"
	"portico/internal/egress"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/people"
	"portico/internal/signupask"
	"portico/internal/store"
	"portico/internal/throttle"
	"portico/internal/webhook"
)

// decides is an app that is asked about sign-ups. It answers with its text, or with an error if that is empty.
type decides struct {
	mu     sync.Mutex
	text   string
	asked  []signupask.Question
	during func() // runs while it answers
}

func (d *decides) says(text string) { d.text = text }

// about returns what it was asked since the last call.
func (d *decides) about() []signupask.Question {
	d.mu.Lock()
	defer d.mu.Unlock()
	asked := d.asked
	d.asked = nil
	return asked
}

// withApp sets up a test with an app that refuses.
func withApp(t *testing.T, changes ...option) (*bundle, *decides) {
	t.Helper()
	d := &decides{text: `{"allow": false}`, during: func() {}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Data signupask.Question }
		_ = json.NewDecoder(r.Body).Decode(&q)
		d.mu.Lock()
		d.asked = append(d.asked, q.Data)
		d.mu.Unlock()
		d.during()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, d.text)
	}))
	t.Cleanup(server.Close)
	client, err := egress.New(egress.Config{Allow: []string{server.URL}, Timeout: signupask.Timeout})
	if err != nil {
		t.Fatal(err)
	}
	return setup(t, append([]option{func(c *flow.Config) {
		c.SignUpAsk = signupask.New(signupask.Config{URL: server.URL, Client: client, Clock: c.Clock, Log: slog.New(slog.DiscardHandler)}, nil)
	}}, changes...)...), d
}

// sums returns what a refusal must not change: the accounts and the events.
func (b *bundle) sums() [2]int {
	b.Helper()
	page, err := b.Operator.People(b.Context(), account.Query{Limit: 100})
	if err != nil {
		b.Fatal(err)
	}
	var waiting webhook.Counts
	err = b.store.Store.Read(b.Context(), func(tx *store.Tx) (err error) {
		waiting, err = tx.CountDeliveries(b.Context(), "all", webhook.MostCounted)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return [2]int{len(page.People), waiting.Waiting}
}

// Each way to sign up asks once, when the address is proven. A refusal makes and sends nothing, and the same step goes
// through as soon as the app agrees.
func TestSignUpAsk_EveryWay(t *testing.T) {
	t.Parallel()
	for name, way := range map[string]struct {
		with option
		take func(b *bundle, v *visitor) func() (flow.Result, error)
	}{
		"code": {with(flow.ModeOpen), func(b *bundle, v *visitor) func() (flow.Result, error) {
			r := v.sends(flow.SignUp, "mara@example.org", good)
			typed := b.next().Data["code"]
			return func() (flow.Result, error) { return b.Flows.VerifyCode(b.Context(), v.Caller, r.FlowID, typed) }
		}},
		"passkey": {withPasskeys(t), func(b *bundle, v *visitor) func() (flow.Result, error) {
			r := v.must(b.Flows.SignUp(b.Context(), v.Caller, flow.SignUpInput{Email: "mara@example.org", Passkey: true}))
			typed := b.next().Data["code"]
			return func() (flow.Result, error) { return b.Flows.VerifyCode(b.Context(), v.Caller, r.FlowID, typed) }
		}},
		"link elsewhere": {with(flow.ModeOpen), func(b *bundle, v *visitor) func() (flow.Result, error) {
			b.visitor("192.0.2.9").sends(flow.SignUp, "mara@example.org", good)
			token := linkToken(b.next())
			return func() (flow.Result, error) {
				return b.Flows.ConfirmLink(b.Context(), v.Caller, flow.LinkInput{Token: token, Password: good})
			}
		}},
		"invitation": {with(flow.ModeInvited), func(b *bundle, v *visitor) func() (flow.Result, error) {
			token := b.invites("mara@example.org", flow.Draft{})
			return func() (flow.Result, error) { return v.acceptsInvite(token) }
		}},
		"approval": {with(flow.ModeApproved), func(b *bundle, v *visitor) func() (flow.Result, error) {
			r := v.sends(flow.SignUp, "mara@example.org", good)
			typed := b.next().Data["code"]
			return func() (flow.Result, error) { return b.Flows.VerifyCode(b.Context(), v.Caller, r.FlowID, typed) }
		}},
		"terms": {func(c *flow.Config) { c.Terms = "2" }, func(b *bundle, v *visitor) func() (flow.Result, error) {
			stranger := b.visitor("192.0.2.9")
			stranger.must(stranger.signsUp("mara@example.org", "2"))
			r := v.must(b.Flows.ConfirmLink(b.Context(), v.Caller, flow.LinkInput{Token: linkToken(b.next()), Anew: true}))
			return func() (flow.Result, error) { return b.Flows.AcceptTerms(b.Context(), v.Caller, r.FlowID, "2") }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, app := withApp(t, way.with)
			v := b.visitor("192.0.2.1")
			step := way.take(b, v)
			if asked := app.about(); asked != nil {
				t.Errorf("before the last step it was asked %+v", asked)
			}
			before := b.sums()
			if _, err := step(); !errors.Is(err, flow.SignUpDeclined) {
				t.Fatalf("refused: %v", err)
			}
			if f := b.record(audit.SignUpAsked); f.Detail != "refused" || f.AccountID != "" || f.Actor != "self" {
				t.Errorf("%+v", f)
			}
			if after := b.sums(); after != before || b.hasAccount("mara@example.org") || v.signedIn() != "" {
				t.Errorf("accounts and events: %v, before %v", after, before)
			}
			if asked := app.about(); len(asked) != 1 || asked[0].Address != "mara@example.org" || asked[0].Method != "mail" || asked[0].Language != "en" || (asked[0].Invitation != "") != (name == "invitation") {
				t.Errorf("asked %+v", asked)
			}
			app.says(`{"allow": true}`)
			v.must(step())
			if f := b.record(audit.SignUpAsked); f.Detail != "allowed" || f.AccountID != b.user("mara@example.org").ID {
				t.Errorf("%+v", f)
			}
			if asked := app.about(); len(asked) != 1 {
				t.Errorf("asked %+v", asked)
			}
			if name == "approval" {
				if m := b.next(); m.Template != "approval-awaited" {
					t.Errorf("%+v", m)
				}
			}
			if len(b.mail.arrived) != 0 {
				t.Errorf("%d emails were sent", len(b.mail.arrived))
			}
		})
	}
}

// What the app says becomes a fault with its words.
func TestSignUpAsk_Words(t *testing.T) {
	t.Parallel()
	b, app := withApp(t)
	v := b.visitor("192.0.2.1")
	r := v.sends(flow.SignUp, "mara@example.org", good)
	typed := b.next().Data["code"]
	for text, want := range map[string]*fault.Error{
		`{"allow": false, "reason": "domain"}`:          flow.SignUpDomain,
		`{"allow": false, "reason": "uninvited"}`:       flow.SignUpUninvited,
		`{"allow": false, "text": "For members only."}`: flow.SignUpSaid,
		``: flow.SignUpUnasked,
	} {
		app.says(text)
		_, err := b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, typed)
		if !errors.Is(err, want) || errors.Is(want, flow.SignUpSaid) && fault.From(err).Params["text"] != "For members only." {
			t.Errorf("%s: %v", text, err)
		}
		if text == "" && b.record(audit.SignUpAsked).Detail != "no answer" {
			t.Errorf("%+v", b.record(audit.SignUpAsked))
		}
	}
}

// Nobody asks about accounts that operators make, about the first admin, or about addresses that have an account.
func TestSignUpAsk_NotAsked(t *testing.T) {
	t.Parallel()
	b, app := withApp(t)
	first, _, err := b.Operator.FirstLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ada := b.visitor("192.0.2.2")
	_, token, _ := strings.Cut(first, "token=")
	ada.must(b.Flows.SignUp(t.Context(), ada.Caller, flow.SignUpInput{Email: "ada@example.org", Password: good, Confirm: good, Invitation: token}))
	if _, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, "noor@example.org", "", good); err != nil {
		t.Fatal(err)
	}
	b.brings(how(), people.Person{Email: "ines@example.org", EmailVerified: true})
	v := b.visitor("192.0.2.1")
	v.sends(flow.SignUp, "noor@example.org", good)
	if m := b.next(); m.Template != "already-registered" || m.Data["code"] != "" {
		t.Errorf("%+v", m)
	}
	if asked := app.about(); asked != nil {
		t.Errorf("asked %+v", asked)
	}
}

// The setting lets people in without an answer, and the record says so.
func TestSignUpAsk_Open(t *testing.T) {
	t.Parallel()
	b, app := withApp(t, func(c *flow.Config) {
		open := c.SignUpAsk.Config
		open.Open = true
		c.SignUpAsk = signupask.New(open, nil)
	})
	app.says("")
	v := b.visitor("192.0.2.1")
	v.register("mara@example.org")
	if f := b.record(audit.SignUpAsked); f.Detail != "no answer" || f.AccountID != b.user("mara@example.org").ID || v.signedIn() == "" {
		t.Errorf("%+v", f)
	}
}

// held holds the last write of one request.
type held struct {
	flow.Store
	writes int
	last   func()
}

type slow struct{}

func (h *held) Write(ctx context.Context, fn func(flow.Tx) error) error {
	if ctx.Value(slow{}) != nil {
		if h.writes++; h.writes == 3 { // after the one that has to ask, and the count
			h.last()
		}
	}
	return h.Store.Write(ctx, fn)
}

// Two tabs ask once, also when one of them comes while the other one is about to use the answer.
func TestSignUpAsk_TwoTabs(t *testing.T) {
	t.Parallel()
	h := &held{}
	b, app := withApp(t, func(c *flow.Config) { h.Store = c.Store; c.Store = h })
	app.says(`{"allow": true}`)
	v := b.visitor("192.0.2.1")
	r := v.sends(flow.SignUp, "mara@example.org", good)
	typed := b.next().Data["code"]
	first := v.Caller
	h.last = func() { v.must(b.Flows.VerifyCode(t.Context(), first, r.FlowID, typed)) }
	if _, err := b.Flows.VerifyCode(context.WithValue(t.Context(), slow{}, true), first, r.FlowID, typed); !errors.Is(err, code.Used) {
		t.Errorf("the other tab: %v", err)
	}
	if asked := app.about(); len(asked) != 1 || v.signedIn() != "mara@example.org" {
		t.Errorf("asked %d times, %q is signed in", len(asked), v.signedIn())
	}
}

// What changes while the app answers counts.
func TestSignUpAsk_Meanwhile(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]struct {
		do   func(b *bundle, v *visitor)
		want *fault.Error
	}{
		"the code expires":    {func(b *bundle, _ *visitor) { b.clock.Advance(11 * time.Minute) }, code.Expired},
		"the sign-up expires": {func(b *bundle, _ *visitor) { b.clock.Advance(25 * time.Hour) }, flow.Unknown},
		"an account is made": {func(b *bundle, _ *visitor) {
			_, _ = b.Operator.CreateUser(b.Context(), flow.ByOperator, "mara@example.org", "", good)
		}, flow.SignUpTaken},
		"the form is sent anew": {func(b *bundle, v *visitor) {
			_, _ = b.Flows.SignUp(b.Context(), v.Caller, flow.SignUpInput{Name: "Eve", Email: "mara@example.org", Password: another, Confirm: another})
		}, flow.Moved},
		"the same is sent again": {func(b *bundle, v *visitor) {
			_, _ = b.Flows.SignUp(b.Context(), v.Caller, flow.SignUpInput{Name: "Mara", Email: "mara@example.org", Password: good, Confirm: good})
		}, nil},
		"nothing else has changed": {func(*bundle, *visitor) {}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, app := withApp(t, func(c *flow.Config) { c.Names = flow.NameOptional })
			app.says(`{"allow": true}`)
			v := b.visitor("192.0.2.1")
			r := v.must(b.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Name: "Mara", Email: "mara@example.org", Password: good, Confirm: good}))
			typed := b.next().Data["code"]
			app.during = func() { app.during = func() {}; change.do(b, v) }
			_, err := b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, typed)
			if change.want == nil && err != nil || change.want != nil && !errors.Is(err, change.want) {
				t.Errorf("%v", err)
			}
			if asked := app.about(); len(asked) != 1 || asked[0].Name != "Mara" {
				t.Errorf("asked %+v", asked)
			}
		})
	}
}

// A setting that appears while a code is on its way counts for it, and one that is gone does not.
func TestSignUpAsk_Reload(t *testing.T) {
	t.Parallel()
	var cfg flow.Config
	b, app := withApp(t, func(c *flow.Config) { cfg = *c })
	asks := cfg.SignUpAsk
	load := func(k *signupask.Keeper) {
		cfg.SignUpAsk, cfg.Before = k, &b.All
		b.All = flow.New(cfg)
	}
	load(nil)
	v := b.visitor("192.0.2.1")
	r := v.sends(flow.SignUp, "mara@example.org", good)
	typed := b.next().Data["code"]
	load(asks)
	if _, err := b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, typed); !errors.Is(err, flow.SignUpDeclined) {
		t.Errorf("asked since: %v", err)
	}
	load(nil)
	v.must(b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, typed))
	if v.signedIn() != "mara@example.org" || len(app.about()) != 1 {
		t.Error("asked without the setting")
	}
}

// A right code asks the app a few times an hour at most.
func TestSignUpAsk_Limit(t *testing.T) {
	t.Parallel()
	b, app := withApp(t)
	v := b.visitor("192.0.2.1")
	r := v.sends(flow.SignUp, "mara@example.org", good)
	typed := b.next().Data["code"]
	for range 10 {
		if _, err := b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, typed); !errors.Is(err, flow.SignUpDeclined) {
			t.Fatal(err)
		}
	}
	if _, err := b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, typed); !errors.Is(err, throttle.Limited(0)) {
		t.Errorf("%v", err)
	}
	if asked := app.about(); len(asked) != 10 || slices.ContainsFunc(asked, func(q signupask.Question) bool { return q != asked[0] }) {
		t.Errorf("asked %d times", len(asked))
	}
}
