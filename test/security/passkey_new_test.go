package security

import (
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"portico/internal/passkey"
	"portico/internal/passkey/passkeytest"
	"portico/internal/secret"
)

func creation(body object, a passkey.Answer) object {
	body["credential"], body["client_data"], body["attestation"], body["transports"] = a.Credential, a.ClientData, a.Attestation, a.Transports
	return body
}

// created answers the challenge of an operation with a new passkey.
func (v *visitor) created(begin string, body object) (*passkeytest.Authenticator, func() passkey.Answer) {
	v.Helper()
	var offer struct {
		Challenge string `json:"challenge"`
		User      string `json:"user_id"`
	}
	v.post(begin, body).must(200).parse(&offer)
	handle, _ := secret.Decode(offer.User)
	a := passkeytest.New("portico.test", v.origin, handle)
	return a, func() passkey.Answer { return a.Create(offer.Challenge) }
}

func TestSEC284_AQuietPasskeyProvesNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	begin := func(quiet string) (*passkeytest.Authenticator, func() passkey.Answer) {
		return v.created("account/passkeys/begin", object{"account": v.id(), "quiet": quiet})
	}
	add := func(a passkey.Answer, quiet string) *answer {
		return v.post("account/passkeys", creation(object{"account": v.id(), "quiet": quiet}, a))
	}
	a, answer := begin("")
	a.Flags = 0
	add(answer(), "").refused(401, "passkey.refused") // no user was verified
	a, answer = begin("")
	a.Flags = 0
	add(answer(), "yes").refused(401, "passkey.refused") // a challenge that asks for a person
	_, answer = begin("yes")
	add(answer(), "").refused(401, "passkey.refused") // the other way around it would count as a proof
	a, answer = begin("yes")
	a.Flags = 0
	add(answer(), "yes").must(200)
	// The session has given no passkey, so that it changes nothing anymore.
	v.post("account/passkeys/begin", object{"account": v.id()}).refused(401, "proof.needed")
	elsewhere := s.visitor()
	elsewhere.enter(a.Use(elsewhere.ask())).refused(401, "passkey.refused")
	a.Flags = passkeytest.Present | passkeytest.Verified
	elsewhere.enter(a.Use(elsewhere.ask())).must(200)
}

func TestSEC285_AProvenAddressGetsOnePasskey(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	thief, owner := s.visitor(), s.visitor()
	flow := thief.post("signup", object{"email": address, "passkey": "yes"}).flow()
	thief.post("signup/passkey/begin", object{"flow": flow}).refused(409, "flow.conflict") // nothing is proven

	// The owner of the mailbox opens the link that the thief has asked for.
	owner.open(s.mail.next(address).token(t)).must(200)
	_, id, _ := strings.Cut(owner.post("confirm-link", object{}).must(200).next(), "/auth/signup-passkey?flow=")
	for name, other := range map[string]string{"the thief's flow": flow, "the owner's flow": id} {
		if got := thief.post("signup/passkey/begin", object{"flow": other}); got.status < 400 {
			t.Errorf("the thief gets a challenge for %s", name)
		}
	}
	_, answer := owner.created("signup/passkey/begin", object{"flow": id})
	stolen := answer()
	thief.post("signup/passkey", creation(object{"flow": id}, stolen)).refused(401, "passkey.refused")
	weak, answer := owner.created("signup/passkey/begin", object{"flow": id})
	weak.Flags = passkeytest.Present
	owner.post("signup/passkey", creation(object{"flow": id}, answer())).refused(401, "passkey.refused")

	var bodies []string
	for range 5 {
		_, answer := owner.created("signup/passkey/begin", object{"flow": id})
		bodies = append(bodies, encode(creation(object{"flow": id}, answer())))
	}
	var wins atomic.Int32
	var callers sync.WaitGroup
	for _, body := range bodies {
		callers.Go(func() {
			got, err := owner.try("POST", "/auth/api/signup/passkey", body, owner.ours("application/json"))
			if err == nil && got.status == 200 {
				wins.Add(1)
			}
		})
	}
	callers.Wait()
	if n := s.count(`SELECT COUNT(*) FROM passkey`); wins.Load() != 1 || n != 1 {
		t.Errorf("%d of 5 callers, and %d passkeys", wins.Load(), n)
	}
	if n := s.count(`SELECT COUNT(*) FROM account WHERE password <> ''`); n != 0 {
		t.Error("a password is stored")
	}
	owner.reset(id, good).refused(409, "flow.conflict")

	// A sign-up or a recovery adds no passkey to an account that is there.
	second := s.visitor()
	second.post("signup", object{"email": address, "passkey": "yes"}).flow()
	again := s.visitor()
	again.signIn(address, "").must(422)
	recovery := again.forgot(address)
	again.verify(recovery, lastEmail(s, s.mail, address).code(t)).must(200)
	again.post("signup/passkey/begin", object{"flow": recovery}).refused(404, "flow.unknown")
}

func TestSEC286_AnOfferLeadsNowhereElse(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, apps)
	address := fresh("v")
	s.operator(address, good)
	v := s.visitor()
	if next := v.post("signin", object{"email": address, "password": good, "makes_passkeys": "yes", "return_to": "//evil.test"}).must(200).next(); next != "/auth/account/passkeys/offer" {
		t.Errorf("after the sign-in: %q", next)
	}
	for _, target := range evilTargets() {
		page := v.get("/auth/account/passkeys/offer?return_to=" + url.QueryEscape(target)).must(200)
		if !strings.Contains(page.body, `"return_to":""`) || strings.Contains(page.body, "evil") {
			t.Errorf("the page keeps %.60q", target)
		}
	}
	other := s.visitor().register(fresh("w"))
	v.post("account/passkeys/refuse", object{"account": other.id()}).refused(409, "account.changed")
	s.visitor().post("account/passkeys/refuse", object{"account": other.id()}).refused(401, "session.required")
	if n := s.count(`SELECT COUNT(*) FROM passkey_refusal`); n != 0 {
		t.Errorf("%d accounts refuse", n)
	}
	for _, target := range evilTargets() {
		got := v.post("account/passkeys/refuse", object{"account": v.id(), "return_to": target})
		if got.status == 200 && got.next() != "/auth/account" {
			t.Errorf("%.60q leads to %q", target, got.next())
		}
	}
	page := v.get("/auth/account/passkeys/offer?return_to=/wiki")
	if page.status != 303 || page.header.Get("Location") != "/wiki" {
		t.Errorf("who has refused: %d %s", page.status, page.header.Get("Location"))
	}
}
