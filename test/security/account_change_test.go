package security

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// id returns the id of the signed-in account, as an account page has it.
func (v *visitor) id() string {
	v.Helper()
	var current struct{ User struct{ ID string } }
	v.get("/auth/api/session").must(200).parse(&current)
	return current.User.ID
}

// guardedRoutes lists the operations that change how an account is signed in to,
// with a body for the account. TestSEC247 fails for a new route below
// /auth/api/account or /auth/api/factors that is in no list.
func guardedRoutes(account string) map[string]object {
	return map[string]object{
		"account/password":        {"account": account, "password": other, "confirm_password": other},
		"account/delete":          {"account": account},
		"account/password/remove": {"account": account},
		"account/addresses":       {"account": account, "email": fresh("other")},
		"account/passkeys/begin":  {"account": account},
		"account/passkeys":        {"account": account, "credential": "AA", "client_data": "AA", "attestation": "AA"},
		"account/passkeys/rename": {"account": account, "id": flowID, "name": "phone"},
		"account/passkeys/remove": {"account": account, "id": flowID},
		"account/tokens":          {"account": account, "nonce": strings.Repeat("A", 43), "name": "x", "app": "x", "days": "30"},
		"factors/add":             {"account": account},
		"factors/codes":           {"account": account},
		"factors/remove":          {"account": account, "id": flowID},
	}
}

// freeRoutes lists the other operations there. Two are about a flow, which is of one account.
var freeRoutes = []string{"account/profile", "account/passkeys/refuse", "factors/confirm", "factors/saved"}

func TestSEC247_AnOldSessionChangesNoCredential(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v, mara := s.signedIn()
	guarded := guardedRoutes(v.id())
	for _, pattern := range s.mounted.patterns() {
		path, post := strings.CutPrefix(pattern, "POST /auth/api/")
		if !post || !strings.HasPrefix(path, "account/") && !strings.HasPrefix(path, "factors/") {
			continue
		}
		if _, known := guarded[path]; !known && !slices.Contains(freeRoutes, path) {
			t.Errorf("%s is in neither list", path)
		}
	}
	s.clock.Advance(10 * time.Minute)
	for path, body := range guarded {
		v.post(path, body).refused(401, "proof.needed")
	}
	s.visitor().signIn(mara, good).must(200) // nothing has changed
	v.signIn(mara, good).must(200)
	v.post("account/password", guarded["account/password"]).must(200)
}

func TestSEC248_AFormChangesNoOtherAccount(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	mara, noor := s.two()
	v := s.visitor()
	v.signIn(mara, good).must(200)
	shown := guardedRoutes(v.id())
	v.signIn(noor, good).must(200) // in another tab
	for path, body := range shown {
		v.post(path, body).refused(409, "account.changed")
		delete(body, "account")
		v.post(path, body).refused(409, "account.changed")
	}
	for _, address := range []string{mara, noor} {
		s.visitor().signIn(address, good).must(200)
	}
}

func TestSEC249_ANewPasswordEndsEverythingElse(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	mara := fresh("mara")
	s.operator(mara, good)
	v, thief := s.visitor(), s.visitor()
	thief.signIn(mara, good).must(200)
	flow := thief.forgot(mara)
	code := lastCode(s, s.mail, mara)
	v.signIn(mara, good).must(200)
	before := v.cookie("session")
	v.post("account/password", guardedRoutes(v.id())["account/password"]).must(200)
	switch {
	case thief.whoami() != "":
		t.Error("the other session still works")
	case v.cookie("session") == before || s.with(before).whoami() != "":
		t.Error("the session token from before still works")
	case v.whoami() != mara:
		t.Error("the user is signed out")
	}
	thief.verify(flow, code).refused(404, "flow.unknown")
	thief.signIn(mara, good).refused(401, "signin.rejected")
}

func TestSEC438_ChangesWithoutEndAreRefused(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v, mara := s.signedIn()
	id := v.id()
	before := len(s.mail.to(mara))
	for n := range 20 {
		v.post("account/profile", object{"account": id, "name": fmt.Sprint("Mara ", n)}).must(200)
	}
	v.post("account/profile", object{"account": id, "name": "Nora"}).refused(429, "throttle.limited")
	v.form("/auth/account/profile", url.Values{"account": {id}, "name": {"Nora"}}).must(429)
	if s.settle(); len(s.mail.to(mara))-before > 21 { // and one about the new browser
		t.Errorf("%d emails", len(s.mail.to(mara))-before)
	}
	for range 100 {
		v.post("factors/add", object{"account": id}).must(200)
	}
	v.post("factors/add", object{"account": id}).refused(429, "throttle.limited")
	thief := s.visitor()
	thief.signIn(mara, good).must(200)
	v.do("DELETE", "/auth/api/sessions", "", v.ours("")).must(204)
	if thief.whoami() != "" {
		t.Error("a session goes on")
	}
}

// The clock was ahead, and is set right again. A proof from the future proves nothing.
func TestSEC464_AClockSetBackMakesNoProofNew(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, protects(newApp(t, tempers()["raw"]), "fresh:10m /*"))
	v, mara := s.signedIn()
	for _, passes := range []time.Duration{30 * time.Minute, -time.Hour} {
		s.clock.Advance(passes)
		for path, body := range guardedRoutes(v.id()) {
			v.post(path, body).refused(401, "proof.needed")
		}
		if a := v.get("/x"); a.status == 200 {
			t.Errorf("the app gets a request with an old proof (%v)", passes)
		}
	}
	v.signIn(mara, good).must(200)
	v.get("/x").must(200)
	v.post("account/password", guardedRoutes(v.id())["account/password"]).must(200)
}
