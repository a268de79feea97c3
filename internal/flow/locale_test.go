package flow_test

import (
	"context"
	"testing"

	"portico/internal/account"
	"portico/internal/flow"
	"portico/internal/outbox"
)

// german is a visitor whose browser asks for German.
func (b *bundle) german(peer string) *visitor {
	v := b.visitor(peer)
	v.Locale = "de"
	return v
}

// mailed expects the next mail in a language.
func (b *bundle) mailed(template, locale string) outbox.Message {
	b.Helper()
	m := b.next()
	if m.Template != template || m.Locale != locale {
		b.Errorf("the mail %s is in %q, want %s in %q", m.Template, m.Locale, template, locale)
	}
	return m
}

func TestLocale_OfTheAccountInEveryMail(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.visitor("192.0.2.1").register("mara@example.org")
	stranger := b.german("198.51.100.1")

	stranger.must(b.Flows.SignUp(t.Context(), stranger.Caller, flow.SignUpInput{Email: "mara@example.org", Password: good, Confirm: good}))
	b.mailed("already-registered", "en")
	for range 5 {
		_, _ = stranger.signIn("mara@example.org", "wrong")
	}
	b.mailed("signin-blocked", "en")
	r := stranger.forgets("mara@example.org")
	code := b.mailed("recover", "en").Data["code"]
	r = stranger.must(b.Flows.VerifyCode(t.Context(), stranger.Caller, r.FlowID, code))
	const changed = "seven hills under a paper lantern"
	stranger.must(b.Flows.ResetPassword(t.Context(), stranger.Caller, flow.ResetInput{FlowID: r.FlowID, Password: changed, Confirm: changed}))
	b.mailed("password-changed", "en")
	other := b.german("198.51.100.2")
	other.must(other.signIn("mara@example.org", changed))
	b.mailed("new-device", "en")
}

// Without an account there is nothing but the request.
func TestLocale_WithoutAnAccount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.german("192.0.2.1").forgets("nobody@example.org")
	b.mailed("no-account", "de")
	v := b.german("192.0.2.2")
	r := v.must(b.Flows.SignUp(t.Context(), v.Caller, flow.SignUpInput{Email: "new@example.org", Password: good, Confirm: good}))
	v.must(b.Flows.VerifyCode(t.Context(), v.Caller, r.FlowID, b.mailed("verify-address", "de").Data["code"]))
	b.visitor("192.0.2.3").forgets("new@example.org")
	b.mailed("recover", "de")
}

// An account of an operator gets the locale of its first
// sign-in. Before that, emails use the locale of the request.
func TestLocale_IsLearntAtTheFirstSignIn(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]func(v *visitor, a account.Account){
		"by password": func(v *visitor, a account.Account) {
			v.must(v.signIn(a.Address.Mail, good))
			v.mailed("new-device", "de")
		},
		"by recovery": func(v *visitor, a account.Account) {
			r := v.forgets(a.Address.Mail)
			r = v.must(v.Flows.VerifyCode(v.Context(), v.Caller, r.FlowID, v.mailed("recover", "de").Data["code"]))
			const changed = "seven hills under a paper lantern"
			v.must(v.Flows.ResetPassword(v.Context(), v.Caller, flow.ResetInput{FlowID: r.FlowID, Password: changed, Confirm: changed}))
			v.mailed("password-changed", "de")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			a, err := b.Operator.CreateUser(context.Background(), flow.ByOperator, "mara@example.org", "", good)
			if err != nil || a.Locale != "" {
				t.Fatalf("made %+v (%v)", a, err)
			}
			b.visitor("198.51.100.1").forgets("mara@example.org")
			b.mailed("recover", "en")
			first(b.german("192.0.2.1"), a)
			b.visitor("198.51.100.2").forgets("mara@example.org")
			b.mailed("recover", "de")
			if known, err := b.Operator.User(context.Background(), "mara@example.org"); err != nil || known.Locale != "de" {
				t.Errorf("the account has the language %q (%v)", known.Locale, err)
			}
		})
	}
}

// A choice in the menu holds for the emails of later months. The email about the
// sign-in that brings the choice is still in the previous language.
func TestLocale_FollowsTheMenu(t *testing.T) {
	t.Parallel()
	b, v := registered(t)
	v.Locale = "de"
	if err := b.Flows.ChooseLocale(t.Context(), v.Caller); err != nil {
		t.Fatal(err)
	}
	b.visitor("198.51.100.1").forgets("mara@example.org")
	b.mailed("recover", "de")

	another := b.visitor("192.0.2.2")
	another.Locale, another.Chosen = "fr", true
	if err := b.Flows.ChooseLocale(t.Context(), another.Caller); err != nil { // signed out: only the cookie changes
		t.Fatal(err)
	}
	another.must(another.signIn("mara@example.org", good))
	b.mailed("new-device", "de")
	b.visitor("198.51.100.2").forgets("mara@example.org")
	b.mailed("recover", "fr")

	third := b.visitor("192.0.2.3") // its browser prefers English, and nothing was chosen
	third.must(third.signIn("mara@example.org", good))
	b.mailed("new-device", "fr")
	b.visitor("198.51.100.3").forgets("mara@example.org")
	b.mailed("recover", "fr")
}
