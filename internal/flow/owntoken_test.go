package flow_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/secret"
	"portico/internal/session"
	"portico/internal/store"
)

func tokens(c *flow.Config) {
	c.TokenApps = []flow.TokenApp{{Name: "wiki", Rules: []string{"signed-in /*"}}, {Name: "desk", Rules: []string{"role:staff /*"}}}
}

// holder returns a signed-in user with roles, after the emails of the registration.
func holder(t *testing.T, roles ...string) *visitor {
	b, v := registered(t, tokens)
	if len(roles) > 0 {
		if err := b.Operator.SetUserRoles(t.Context(), flow.ByOperator, v.found().User.ID, roles); err != nil {
			t.Fatal(err)
		}
		b.awaits("account-managed")
	}
	return v
}

func ask(name string) flow.TokenAsk {
	return flow.TokenAsk{Nonce: secret.Token(), Name: name, App: "wiki", Days: "90"}
}

// makes returns a token of the visitor, and reads the email about it.
func (v *visitor) makes(a flow.TokenAsk) string {
	v.Helper()
	text, err := v.Owner.MakeToken(v.Context(), v.Caller, v.found(), a)
	if err != nil {
		v.Fatal(err)
	}
	if m := v.next(); m.Template != "account-changed" || m.Data["event"] != "token_made" || m.Data["app"] != a.App || m.Data["alarm_link"] == "" {
		v.Errorf("the email is %+v", m)
	}
	return text
}

func (v *visitor) at(app, text string) (session.Found, error) {
	return v.Flows.PersonalAt(v.Context(), text, app, true)
}

// refuses expects that a token no longer works.
func (v *visitor) refuses(why, text string, want *fault.Error) {
	v.Helper()
	if _, err := v.at("wiki", text); !errors.Is(err, want) || want.Kind == fault.Unauthenticated && !errors.Is(err, session.Required) {
		v.Errorf("%s: %v, want %s", why, err, want.Code)
	}
}

func TestMakeToken(t *testing.T) {
	t.Parallel()
	v := holder(t, "editor", "staff", flow.RoleAdmin)
	asked := ask("nightly")
	asked.Role = "editor"
	text := v.makes(asked)
	if !apikey.ValidPersonal(text) || apikey.Valid(text) {
		t.Errorf("the token is %q", text)
	}
	found, err := v.at("wiki", text)
	s := found.Session
	if err != nil || found.User.Address != "mara@example.org" || !slices.Equal(found.User.Roles, []string{"editor"}) || !slices.Equal(s.Methods, []string{session.ByToken}) || s.Strong() || !s.AuthenticatedAt.IsZero() {
		t.Errorf("it is %+v, %v", found, err)
	}
	if f := v.record(audit.TokenMade); f.Detail != "wiki" {
		t.Errorf("the record is %+v", f)
	}
	if _, err := v.at("desk", text); !errors.Is(err, apikey.OtherApp) {
		t.Errorf("at another app: %v", err)
	}
	if _, err := v.Flows.Session(t.Context(), text); !errors.Is(err, session.Required) {
		t.Errorf("as the cookie of a session: %v", err)
	}
	if _, err := v.at("wiki", v.Caller.Session); !errors.Is(err, apikey.UnknownPersonal) {
		t.Errorf("a session as a token: %v", err)
	}
	v.clock.Advance(time.Second)
	all := ask("all")
	all.Role = flow.AllRoles
	if found, err := v.at("wiki", v.makes(all)); err != nil || !slices.Equal(found.User.Roles, []string{"editor", "staff"}) {
		t.Errorf("all roles are %q, %v", found.User.Roles, err)
	}
	view, err := v.Owner.Tokens(t.Context(), v.found())
	if err != nil || len(view.List) != 2 || view.List[1].Name != "nightly" || view.List[1].UsedAt.IsZero() || !slices.Equal(view.Apps, []string{"wiki", "desk"}) || !slices.Equal(view.Roles, []string{"editor", "staff"}) {
		t.Errorf("the page shows %+v, %v", view, err)
	}
}

func TestMakeToken_Refusals(t *testing.T) {
	t.Parallel()
	v := holder(t, flow.RoleAdmin)
	for code, change := range map[string]func(*flow.TokenAsk){
		apikey.CodePersonalName: func(a *flow.TokenAsk) { a.Name = " " },
		apikey.CodeNoApp:        func(a *flow.TokenAsk) { a.App = "desk" }, // no rule of it lets this user in
		apikey.CodeNoRole:       func(a *flow.TokenAsk) { a.Role = flow.RoleAdmin },
		apikey.CodeNoDays:       func(a *flow.TokenAsk) { a.Days = "366" },
		apikey.CodeUsedForm:     func(a *flow.TokenAsk) { a.Nonce = "1" },
	} {
		a := ask("x")
		change(&a)
		_, err := v.Owner.MakeToken(t.Context(), v.Caller, v.found(), a)
		if f := fault.From(err); f.Code != code && (len(f.Fields) != 1 || f.Fields[0].Code != code) {
			t.Errorf("want %s: %v", code, err)
		}
	}
	for n := range apikey.MostPersonal {
		v.makes(ask(fmt.Sprint(n)))
	}
	if _, err := v.Owner.MakeToken(t.Context(), v.Caller, v.found(), ask("x")); !errors.Is(err, apikey.FullPersonal) {
		t.Errorf("one more: %v", err)
	}
	v.clock.Advance(11 * time.Minute)
	if _, err := v.Owner.MakeToken(t.Context(), v.Caller, v.found(), ask("x")); !errors.Is(err, flow.ProofNeeded) {
		t.Errorf("with an old proof: %v", err)
	}
}

// The same form sent again gives the same token, until it has ended. Another content makes another one.
func TestMakeToken_Again(t *testing.T) {
	t.Parallel()
	v := holder(t)
	asked := ask("nightly")
	text := v.makes(asked)
	if again, err := v.Owner.MakeToken(t.Context(), v.Caller, v.found(), asked); err != nil || again != text {
		t.Errorf("again: %q, %v", again, err)
	}
	other := asked
	other.Name = "other"
	v.clock.Advance(time.Second)
	if v.makes(other) == text {
		t.Error("another name gives the same token")
	}
	shown, _ := v.Owner.Tokens(t.Context(), v.found())
	if len(shown.List) != 2 {
		t.Fatalf("%d tokens", len(shown.List))
	}
	if err := v.Owner.EndToken(t.Context(), v.Caller, v.found(), shown.List[1].ID); err != nil {
		t.Fatal(err)
	}
	v.next()
	if _, err := v.Owner.MakeToken(t.Context(), v.Caller, v.found(), asked); !errors.Is(err, apikey.UsedForm) {
		t.Errorf("after its end: %v", err)
	}
	v.refuses("ended", text, apikey.EndedPersonal)
}

// What ends a token, while a node has it in memory.
func TestToken_Ends(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(v *visitor, id string) error{
		"its end": func(v *visitor, _ string) error { v.clock.Advance(90 * 24 * time.Hour); return nil },
		"the owner": func(v *visitor, _ string) error {
			shown, err := v.Owner.Tokens(v.Context(), v.found())
			return errors.Join(err, v.Owner.EndToken(v.Context(), v.Caller, v.found(), shown.List[0].ID))
		},
		"a new password": func(v *visitor, _ string) error {
			_, err := v.Owner.ChangePassword(v.Context(), v.Caller, v.found(), good+"2", good+"2")
			return err
		},
		"all other devices signed out": func(v *visitor, _ string) error {
			return v.Owner.EndOtherSessions(v.Context(), v.Caller, v.found())
		},
		"all sessions ended": func(v *visitor, id string) error {
			n, err := v.Operator.EndUserSessions(v.Context(), flow.ByOperator, id)
			if n != 2 {
				v.Errorf("%d were ended, want a session and a token", n)
			}
			return err
		},
		"disabled": func(v *visitor, id string) error {
			return v.Operator.SetUserState(v.Context(), flow.ByOperator, id, account.DisabledByOperator)
		},
		"disabled and enabled": func(v *visitor, id string) error {
			err := v.Operator.SetUserState(v.Context(), flow.ByOperator, id, account.DisabledByOperator)
			return errors.Join(err, v.Operator.SetUserState(v.Context(), flow.ByOperator, id, account.Active))
		},
		"deleted": func(v *visitor, id string) error { return v.Operator.DeleteUser(v.Context(), flow.ByOperator, id) },
		"closed by its owner": func(v *visitor, _ string) error {
			v.leaves()
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := holder(t)
			text := v.makes(ask("nightly"))
			if _, err := v.at("wiki", text); err != nil {
				t.Fatal(err)
			}
			if err := end(v, v.found().User.ID); err != nil {
				t.Fatal(err)
			}
			if _, err := v.at("wiki", text); !errors.Is(err, session.Required) {
				t.Errorf("after %s: %v", name, err)
			}
		})
	}
}

// A token has no role that its user has lost, and none that the user got later.
func TestToken_RolesNow(t *testing.T) {
	t.Parallel()
	v := holder(t, "editor", "staff")
	all := ask("all")
	all.Role = flow.AllRoles
	text := v.makes(all)
	for _, step := range []struct{ has, want []string }{{[]string{"staff", "boss"}, []string{"staff"}}, {nil, nil}, {[]string{"editor"}, []string{"editor"}}} {
		if err := v.Operator.SetUserRoles(t.Context(), flow.ByOperator, v.found().User.ID, step.has); err != nil {
			t.Fatal(err)
		}
		if found, err := v.at("wiki", text); err != nil || !slices.Equal(found.User.Roles, step.want) {
			t.Errorf("with %q it has %q, %v", step.has, found.User.Roles, err)
		}
	}
}

// Another node hears of the end of a token, as of the end of a session.
func TestToken_OtherNode(t *testing.T) {
	t.Parallel()
	v := holder(t)
	text := v.makes(ask("nightly"))
	other := session.NewKeeper(session.Config{Clock: v.clock, Idle: time.Hour, Absolute: time.Hour, CacheMax: 10})
	look := func() (err error) {
		_ = v.store.Store.Read(t.Context(), func(tx *store.Tx) error {
			if _, err := other.Follow(t.Context(), tx); err != nil {
				t.Fatal(err)
			}
			_, err = other.Token(t.Context(), tx, text, true)
			return nil
		})
		return err
	}
	if err := look(); err != nil {
		t.Fatal(err)
	}
	if _, kept := other.TokenKept(text, false); !kept {
		t.Fatal("the other node has not kept it")
	}
	shown, err := v.Owner.Tokens(t.Context(), v.found())
	if err := errors.Join(err, v.Owner.EndToken(t.Context(), v.Caller, v.found(), shown.List[0].ID)); err != nil {
		t.Fatal(err)
	}
	if err := look(); !errors.Is(err, session.Required) {
		t.Errorf("the other node: %v", err)
	}
}
