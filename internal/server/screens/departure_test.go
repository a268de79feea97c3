package screens_test

import (
	"net/url"
	"strings"
	"testing"

	"portico/internal/apptest"
)

func TestDelete(t *testing.T) {
	t.Parallel()
	s, v := person(t)
	b := v.opens("/auth/account/delete")
	if b.Again != "" || b.Account.EraseAt.At == "" {
		t.Errorf("%+v", b)
	}
	v.other(v.Send("/auth/account/delete", url.Values{"account": {"another"}}))
	v.leads(v.Send("/auth/account/delete", url.Values{"account": {b.Session.ID}}), "/auth/signed-out")
	if b := v.opens("/auth/signed-out"); b.Success == "" {
		t.Error("the page does not say that the account is deleted")
	}
	v.leads(v.Open("/auth/account"), toAccount)
	credentials := url.Values{"email": {"mara@example.org"}, "password": {apptest.Password}}
	asked := v.Send("/auth/signin", credentials).Next()
	if !strings.HasPrefix(asked, "/auth/keep?flow=") {
		t.Fatalf("the sign-in leads to %q", asked)
	}
	keep := v.opens(asked)
	if keep.Screen != "keep" || keep.Account.EraseAt != b.Account.EraseAt || keep.Flow.Email != "mara@example.org" {
		t.Errorf("%+v", keep)
	}
	v.leads(v.Open("/auth/signin"), asked) // any page later shows the step
	v.leads(v.Open("/auth/account"), toAccount)
	flow := url.Values{"flow": {keep.Flow.ID}}
	v.leads(v.Send("/auth/keep/drop", url.Values{"flow": {keep.Flow.ID}}), "/auth/signin")
	v.leads(v.Send("/auth/keep", flow), asked)
	v.leads(v.Open(asked), "/auth/signin")
	asked = v.Send("/auth/signin", credentials).Next()
	other := visit(s)
	elsewhere := other.Send("/auth/signin", credentials).Next()
	v.leads(v.Send("/auth/keep", url.Values{"flow": {v.opens(asked).Flow.ID}}), "/auth/account")
	v.opens("/auth/account")
	v.leads(v.Open(asked), "/auth/account") // Back, or another tab
	other.SignIn("mara@example.org")
	other.leads(other.Open(elsewhere), "/auth/account")
}

// A user who keeps the account goes on to the return target, as after any other sign-in.
func TestKeep_LeadsOn(t *testing.T) {
	t.Parallel()
	_, v := person(t)
	v.Send("/auth/account/delete", url.Values{"account": {v.opens("/auth/account/delete").Session.ID}})
	asked := v.Send("/auth/signin", url.Values{"email": {"mara@example.org"}, "password": {apptest.Password}, "return_to": {"/reports"}}).Next()
	v.navigates()
	if b := v.reads(v.Send("/auth/keep", url.Values{"flow": {v.opens(asked).Flow.ID}})); b.Screen != "leaving" || b.Next != "/reports" {
		t.Errorf("%s leads to %q", b.Screen, b.Next)
	}
}

// The page after the press says that the account stays, once.
func TestKeep_SaysSo(t *testing.T) {
	t.Parallel()
	_, v := person(t)
	keep := func(returnTo, next string) {
		v.Send("/auth/account/delete", url.Values{"account": {v.opens("/auth/account/delete").Session.ID}})
		asked := v.Send("/auth/signin", url.Values{"email": {"mara@example.org"}, "password": {apptest.Password}, "return_to": {returnTo}}).Next()
		v.leads(v.Send("/auth/keep", url.Values{"flow": {v.opens(asked).Flow.ID}}), next)
	}
	keep("/reports", "/reports")
	if b := v.opens("/auth/account"); b.Success != "" {
		t.Errorf("a later page says %q", b.Success)
	}
	keep("", "/auth/account")
	if b := v.opens("/auth/account"); b.Success != "Your account stays." {
		t.Errorf("the page says %q", b.Success)
	}
	if b := v.opens("/auth/account"); b.Success != "" {
		t.Errorf("the page says %q again", b.Success)
	}
}
