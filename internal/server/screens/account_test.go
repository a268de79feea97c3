package screens_test

import (
	"net/url"
	"slices"
	"testing"
	"time"

	"portico/internal/apptest"
	"portico/internal/passkey"
	"portico/internal/server/screens"
	"portico/internal/store"
)

const newPassword = "tram lemon kite"

// passwordForm returns the form of the page, as its document has it.
func passwordForm(account string) url.Values {
	return url.Values{"account": {account}, "password": {newPassword}, "confirm_password": {newPassword}}
}

func TestPassword_Change(t *testing.T) {
	t.Parallel()
	_, v := person(t)
	b := v.opens("/auth/account/password")
	if b.Again != "" || b.Account.Password != "only" || b.Session.Email != "mara@example.org" {
		t.Errorf("%+v", b)
	}
	wrong := passwordForm(b.Session.ID)
	wrong.Set("confirm_password", "another")
	if b := v.reads(v.Send("/auth/account/password", wrong)); b.Status != 422 || b.Errors.Fields.Confirm == "" || b.Screen != "account-password" {
		t.Errorf("two different passwords: %+v", b)
	}
	v.leads(v.Send("/auth/account/password", passwordForm(b.Session.ID)), "/auth/account/password")
	if b := v.opens("/auth/account/password"); b.Success == "" {
		t.Errorf("the page does not say that the password is saved: %+v", b)
	}
	if b := v.opens("/auth/account/password"); b.Success != "" {
		t.Error("the page says it twice")
	}
	p := v.Send("/auth/account/password/remove", url.Values{"account": {b.Session.ID}})
	if b := v.reads(p); b.Status != 409 || b.Errors.Code != "account.last_way" {
		t.Errorf("the only way in: %+v", b.Errors)
	}
}

// With an old proof the page asks for a new one before anything is typed, and a form
// that was opened before then as well. After the sign-in the same page comes back.
func TestPassword_AsksForAProof(t *testing.T) {
	t.Parallel()
	s, v := person(t)
	shown := v.opens("/auth/account/password")
	s.Clock.Advance(11 * time.Minute)
	if b := v.opens("/auth/account/password"); b.Again != "yes" {
		t.Error("the page asks for no proof")
	}
	if b := v.reads(v.Send("/auth/account/password", passwordForm(shown.Session.ID))); b.Status != 401 || b.Errors.Code != "proof.needed" || b.Again != "yes" {
		t.Errorf("%+v", b)
	}
	const back = "/auth/account/password#proven"
	if b := v.opens("/auth/signin?again=1&return_to=" + url.QueryEscape(back)); b.Again != "yes" || b.ReturnTo != back {
		t.Errorf("the sign-in page: %+v", b)
	}
	v.leads(v.Send("/auth/signin", url.Values{"email": {"mara@example.org"}, "password": {apptest.Password}, "return_to": {back}}), back)
	v.leads(v.Send("/auth/account/password", passwordForm(shown.Session.ID)), "/auth/account/password")
}

// A form that was shown for one account changes no other one.
func TestPassword_OfAnotherAccount(t *testing.T) {
	t.Parallel()
	s, v := person(t)
	s.Person("noor@example.org")
	shown := v.opens("/auth/account/password")
	v.SignIn("noor@example.org")
	v.other(v.Send("/auth/account/password", passwordForm(shown.Session.ID)))
	if b := v.opens("/auth/account/password"); b.Success != "" || b.Session.Email != "noor@example.org" {
		t.Errorf("%+v", b)
	}
	v.SignIn("noor@example.org")
	typed := url.Values{"account": {shown.Session.ID}, "name": {"Mara Typed"}, "locale": {"en"}}
	if b := v.other(v.Send("/auth/account/profile", typed)); b.Session.Email != "noor@example.org" || b.Values.Name == "Mara Typed" {
		t.Errorf("the form of noor has what was typed for mara: %+v", b)
	}
}

// other reads the page of an account that answers a form which another account was shown.
func (v visitor) other(p apptest.Page) screens.Boot {
	v.Helper()
	b := v.reads(p)
	if b.Status != 409 || b.Errors.Code != "account.changed" || b.Errors.Form != "You're signed in to another account now, which this page shows. Nothing was changed." {
		v.Errorf("%d: %+v", b.Status, b.Errors)
	}
	return b
}

// A form without script that asks for a proof comes back with what was typed.
func TestForms_KeepTextForAProof(t *testing.T) {
	t.Parallel()
	s, v := person(t)
	id := v.opens("/auth/account").Session.ID
	key := passkey.Passkey{ID: "01jd3k8v5q0000000000000000", AccountID: id, Credential: []byte("id"), PublicKey: []byte("key"), Handle: []byte("handle"), Host: "localhost", Name: "Phone", CreatedAt: s.Clock.Now(), UsedAt: s.Clock.Now()}
	err := s.Store.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.InsertPasskey(t.Context(), key) // from now on, the password is too weak for a change
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	b := v.reads(v.Send("/auth/account/passkeys/rename", url.Values{"account": {id}, "id": {key.ID}, "name": {"Old phone"}}))
	if list := b.Passkeys.List; b.Again != "yes" || len(list) != 1 || list[0].Name != "Phone" || list[0].Typed != "Old phone" {
		t.Errorf("the name: %+v", list)
	}
	b = v.reads(v.Send("/auth/account/addresses", url.Values{"account": {id}, "email": {"next@example.org"}, "use": {""}}))
	if b.Again != "yes" || b.Values.Email != "next@example.org" || b.Account.Primary != "yes" {
		t.Errorf("the address: %+v", b.Values)
	}
}

func TestProfile_Change(t *testing.T) {
	t.Parallel()
	_, v := person(t)
	chosen := func(b screens.Boot) (ids []string) {
		for _, l := range b.Account.Languages {
			if l.Chosen != "" {
				ids = append(ids, l.ID+" "+l.Name)
			}
		}
		return ids
	}
	b := v.opens("/auth/account/profile")
	if got := chosen(b); len(b.Account.Languages) != len(b.Locales) || !slices.Equal(got, []string{"en English"}) {
		t.Errorf("the language is %v of %+v", got, b.Account.Languages)
	}
	form := url.Values{"account": {b.Session.ID}, "name": {"Ma\u202era"}, "locale": {"de"}}
	b = v.reads(v.Send("/auth/account/profile", form))
	if got := chosen(b); b.Status != 422 || b.Errors.Fields.Name == "" || b.Values.Name != "Ma\u202era" || !slices.Equal(got, []string{"de Deutsch"}) {
		t.Errorf("%+v %v", b.Errors, got)
	}
	form.Set("name", "Mara Lind")
	v.leads(v.Send("/auth/account/profile", form), "/auth/account/profile")
	b = v.opens("/auth/account/profile")
	if got := chosen(b); b.Success != "Saved." || b.Values.Name != "Mara Lind" || b.Session.Name != "Mara Lind" || !slices.Equal(got, []string{"de Deutsch"}) {
		t.Errorf("%+v", b)
	}
}

// The last change of the profile can be undone on the page after it, once, by the same user.
func TestProfile_Undo(t *testing.T) {
	t.Parallel()
	s, v := person(t)
	id := v.opens("/auth/account/profile").Session.ID
	save := func(name, locale string) screens.Boot {
		t.Helper()
		v.leads(v.Send("/auth/account/profile", url.Values{"account": {id}, "name": {name}, "locale": {locale}}), "/auth/account/profile")
		return v.opens("/auth/account/profile")
	}
	undo := func() screens.Boot {
		t.Helper()
		v.leads(v.Send("/auth/account/profile/undo", url.Values{"account": {id}}), "/auth/account/profile")
		return v.opens("/auth/account/profile")
	}
	const offer = "/auth/account/profile/undo"
	save("Mara", "en")
	if b := save("Mara Lind", "de"); b.Next != offer {
		t.Errorf("after a change the page offers %q", b.Next)
	}
	if b := v.opens("/auth/account/profile"); b.Next != "" {
		t.Errorf("the next page offers %q, too", b.Next)
	}
	if b := undo(); b.Session.Name != "Mara" || b.Success == "" || b.Next != "" {
		t.Errorf("undone, the name is %q, said %q", b.Session.Name, b.Success)
	}
	save("Mara L.", "en")
	if b := save("Mara L.", "en"); b.Next != "" {
		t.Error("the page offers to undo nothing")
	}
	if b := undo(); b.Session.Name != "Mara L." || b.Success != "" {
		t.Errorf("a press that undoes nothing makes the name %q, said %q", b.Session.Name, b.Success)
	}
	save("Somebody", "en")
	s.Person("noor@example.org")
	v.SignIn("noor@example.org")
	other := v.opens("/auth/account").Session
	v.Send("/auth/account/profile/undo", url.Values{"account": {other.ID}})
	v.Send("/auth/account/profile/undo", url.Values{"account": {id}})
	if b := v.opens("/auth/account"); b.Session != other {
		t.Errorf("another user gets the name of the one before: %+v", b.Session)
	}
	v.SignIn("mara@example.org")
	save("Mara", "en")
	before := v.Cookie("undo")
	v.Send("/auth/signout", nil)
	if after := v.Cookie("undo"); before == "" || after != "" {
		t.Errorf("signing out leaves the former name in the browser: %q, then %q", before, after)
	}
}

// The history says what happened in words, and nothing of another account.
func TestHistory(t *testing.T) {
	t.Parallel()
	s, v := person(t)
	s.Person("noor@example.org")
	s.Clock.Advance(time.Minute)
	other := visit(s)
	v.SignIn("mara@example.org")
	other.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0")
	other.SignIn("noor@example.org")
	if b := v.opens("/auth/account/history"); len(b.Account.History) != 3 || b.Account.History[0].Text != "Confirmed it's you with the password" ||
		!slices.ContainsFunc(b.Account.History[1:], func(e screens.Event) bool {
			return e.Text == "Your account was created" && e.Where == "By an administrator"
		}) {
		t.Errorf("%+v", b.Account.History)
	}
	if b := other.opens("/auth/account/history"); len(b.Account.History) != 2 || b.Account.History[0].Where != "Firefox, Linux, 127.0.0.1" || b.Account.History[0].At != "2026-05-04T03:03:01Z" || b.Account.History[0].Day != "May 4, 2026" || b.Account.History[0].Time != "03:03 UTC" {
		t.Errorf("%+v", b.Account.History)
	}
}
