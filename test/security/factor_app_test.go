package security

import (
	"encoding/base32"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/factor"
	"portico/internal/flow"
	"portico/internal/passkey/passkeytest"
)

// phone is what the owner of a second factor has.
type phone struct {
	*site
	address string
	secret  factor.Secret
	codes   []string
}

// code returns what the authenticator app shows now.
func (p *phone) code() string { return p.secret.At(p.clock.Now()) }

var bootIn = regexp.MustCompile(`(?s)<script type="application/json">(.*)</script>`)

// shown returns the state of the page of second factors, from its document.
func (v *visitor) shown(target string) (state struct {
	Secret string `json:"secret"`
	Codes  []struct {
		ID string `json:"id"`
	} `json:"codes"`
	List []struct {
		ID string `json:"id"`
	} `json:"list"`
}) {
	v.Helper()
	found := bootIn.FindStringSubmatch(v.get(target).must(200).body)
	var boot struct {
		Factors *json.RawMessage `json:"factors"`
	}
	if found == nil || json.Unmarshal([]byte(found[1]), &boot) != nil || boot.Factors == nil || json.Unmarshal(*boot.Factors, &state) != nil {
		v.Fatalf("%s shows no second factors", target)
	}
	return state
}

// enrol adds an authenticator app to the account of the visitor. A minute later
// its code is a new one.
func (v *visitor) enrol() *phone {
	v.Helper()
	p := &phone{site: v.site, address: v.whoami()}
	page := v.post("factors/add", object{"account": v.id()}).next()
	p.secret = key(v, v.shown(page).Secret)
	flow := strings.TrimPrefix(page, "/auth/account/factors?flow=")
	v.post("factors/confirm", object{"flow": flow, "code": p.code()}).must(200)
	for _, c := range v.shown(page).Codes {
		p.codes = append(p.codes, c.ID)
	}
	v.post("factors/saved", object{"flow": flow}).must(200)
	v.clock.Advance(time.Minute)
	return p
}

func key(v *visitor, text string) factor.Secret {
	v.Helper()
	b, err := base32.StdEncoding.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil || len(b) != 20 {
		v.Fatalf("%q is no secret", text)
	}
	return b
}

// protected returns a signed-in owner with a second factor.
func (s *site) protected() (*visitor, *phone) {
	s.Helper()
	v := s.visitor().register(fresh("v"))
	return v, v.enrol()
}

// pending returns a browser that has given the password, with its flow.
func (p *phone) pending() (*visitor, string) {
	p.Helper()
	v := p.visitor()
	flow := v.signIn(p.address, good).flow()
	if v.cookie("session") != "" || v.whoami() != "" || flow == "" {
		p.Fatal("the password alone signs in")
	}
	return v, flow
}

func (v *visitor) give(flow, code string) *answer {
	v.Helper()
	return v.post("mfa", object{"flow": flow, "code": code})
}

func (v *visitor) giveRecovery(flow, code string) *answer {
	v.Helper()
	return v.post("mfa", object{"flow": flow, "code": code, "way": "recovery"})
}

func TestSEC093_AWaitingSignInReachesNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	behind := newApp(t, func(*http.Request) string { return "the app" })
	s := start(t, protects(behind), trusting())
	_, p := s.protected()
	v, flow := p.pending()
	v.reachesNothing(flow, "mfa", behind)
	if v.whoami() != "" {
		t.Error("a request has signed in")
	}
	for _, page := range []string{"signin", "signup?return_to=/x", "forgot-password", "signin-code", "verify-code"} {
		if a := v.get("/auth/" + page); a.status != 303 || a.header.Get("Location") != "/auth/mfa?flow="+flow {
			t.Errorf("%s leads to %d %s", page, a.status, a.header.Get("Location"))
		}
	}
	v.give(flow, p.code()).must(200)
	if v.whoami() != p.address {
		t.Error("the step is broken by concurrent requests")
	}
}

func TestSEC094_AWaitingSignInCannotReplaceTheFactor(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	owner, p := s.protected()
	v, flow := p.pending()
	have := owner.shown("/auth/account/factors").List
	for operation, body := range map[string]object{
		"factors/add": {"account": owner.id()}, "factors/codes": {"account": owner.id()}, "factors/remove": {"account": owner.id(), "id": have[0].ID},
		"factors/confirm": {"flow": flow, "code": p.code()}, "factors/saved": {"flow": flow},
	} {
		v.post(operation, body).refused(401, "session.required")
	}
	if a := v.get("/auth/account/factors"); a.status != 303 {
		t.Errorf("the page of the factors gets %d", a.status)
	}
	text := base32.StdEncoding.EncodeToString(p.secret)
	for _, target := range []string{"/auth/account/factors", "/auth/account", "/auth/mfa"} {
		if a := owner.get(target); strings.Contains(strings.ReplaceAll(a.body, " ", ""), text) {
			t.Errorf("%s shows the secret after the enrolment", target)
		}
	}
}

func TestSEC034_ACodeWorksOnce(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	owner, p := s.protected()
	v, flow := p.pending()
	before, used := p.secret.At(s.clock.Now().Add(-30*time.Second)), p.code()
	v.give(flow, used).must(200)
	s.restart()
	for _, code := range []string{used, before} {
		w, flow := p.pending()
		w.give(flow, code).refused(422, "factor.replayed")
		owner.post("mfa", object{"code": code}).refused(422, "factor.replayed")
	}
}

func TestSEC243_OneCodeAtManyNodesAtOnce(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	_, p := s.protected()
	nodes := []*site{s}
	if !s.onSQLite() { // a SQLite file has one node
		second := *s
		second.run()
		t.Cleanup(func() { second.stop() })
		nodes = append(nodes, &second)
	}
	for _, way := range []string{"totp", "recovery"} {
		code := p.code()
		if way == "recovery" {
			code = p.codes[0]
		}
		const n = 20
		var browsers [n]*visitor
		var flows [n]string
		for i := range n {
			browsers[i] = nodes[i%len(nodes)].visitor()
			flows[i] = browsers[i].signIn(p.address, good).flow()
		}
		var won, odd atomic.Int64
		atOnce(n, func(i int) {
			v := browsers[i]
			a, err := v.try("POST", "/auth/api/mfa", encode(object{"flow": flows[i], "code": code, "way": way}), v.ours("application/json"))
			switch {
			case err != nil || a.status >= 500:
				odd.Add(1)
			case a.status == 200:
				won.Add(1)
			}
		})
		if won.Load() != 1 || odd.Load() > 0 {
			t.Errorf("%s: %d of %d sign-ins got a session by one code, %d failed oddly", way, won.Load(), n, odd.Load())
		}
		s.clock.Advance(2 * time.Hour)
	}
}

func TestSEC036_FormsAndTimesOfACode(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	_, p := s.protected()
	v, flow := p.pending()
	code := p.code()
	for _, odd := range []string{"", " ", code[1:], code + "0", "0x" + code[2:], strings.Repeat("1", 300), code + "\x00", `{"$ne":1}`} {
		if a := v.give(flow, odd); a.status == 200 {
			t.Fatalf("%q was taken for %s", odd, code)
		}
	}
	for _, away := range []time.Duration{-time.Minute, time.Minute} {
		v, flow := p.pending()
		v.give(flow, p.secret.At(s.clock.Now().Add(away))).refused(422, "factor.wrong")
	}
	v, flow = p.pending()
	if a := v.post("mfa", object{"flow": flow, "code": 123456}); a.status != 400 && a.status != 422 {
		t.Errorf("a number gets %d", a.status)
	}
	v.give(flow, p.secret.At(s.clock.Now().Add(30*time.Second))).must(200)
}

// guess sends wrong second factors in many sign-ins, and returns how many of them
// were compared.
func (p *phone) guess(signIns, each int, guess func(v *visitor, flow string) *answer) int {
	p.Helper()
	for range signIns {
		v, flow := p.pending()
		for range each {
			if a := guess(v, flow); a.status == 200 {
				p.Fatal("a wrong code was taken")
			}
		}
	}
	return p.evaluated("factor_failed")
}

func TestSEC016_GuessesCountPerAccount(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	owner, p := s.protected()
	if n := p.guess(10, 10, func(v *visitor, flow string) *answer { return v.give(flow, wrong(p.code())) }); n != 5 {
		t.Errorf("%d guesses of 100 at one moment were compared, want 5", n)
	}
	// The owner's own browser has a count of its own.
	flow := owner.signIn(p.address, good).flow()
	owner.give(flow, p.code()).must(200)
	s.settle()
	told := 0
	for _, l := range s.mail.to(p.address) {
		if strings.Contains(l.raw, "Someone may know your") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("the owner was told %d times, want once", told)
	}
}

func TestSEC024_RecoveryCodesShareTheCount(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	_, p := s.protected()
	p.guess(1, 2, func(v *visitor, flow string) *answer { return v.give(flow, wrong(p.code())) })
	n := p.guess(2, 5, func(v *visitor, flow string) *answer { return v.giveRecovery(flow, "AAAA-AAAA-AAAA-AAAA") })
	if n != 5 {
		t.Errorf("%d wrong codes of both ways were compared, want 5", n)
	}
	v, flow := p.pending()
	v.giveRecovery(flow, p.codes[0]).refused(429, "throttle.limited")
}

func TestSEC037_RecoveryCodesWorkOnceForTheirAccount(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	owner, p := s.protected()
	_, attacker := s.protected()
	v, flow := p.pending()
	v.giveRecovery(flow, attacker.codes[0]).refused(422, "factor.wrong")
	v.giveRecovery(flow, strings.ToLower(strings.ReplaceAll(p.codes[0], "-", " "))).must(200)
	v, flow = p.pending()
	v.giveRecovery(flow, p.codes[0]).refused(422, "factor.wrong")
	owner.post("mfa", object{"code": p.code()}).must(200)
	owner.post("factors/codes", object{"account": owner.id()}).must(200)
	v.giveRecovery(flow, p.codes[1]).refused(404, "flow.unknown")
	v, flow = p.pending()
	v.giveRecovery(flow, p.codes[1]).refused(422, "factor.wrong")
	s.clock.Advance(time.Minute)
	owner.post("factors/remove", object{"account": owner.id(), "id": owner.shown("/auth/account/factors").List[0].ID}).must(200)
	if n := s.count(`SELECT COUNT(*) FROM recovery_code WHERE account_id = (SELECT id FROM account WHERE address = '` + p.address + `')`); n != 0 {
		t.Errorf("%d recovery codes outlived the second factor", n)
	}
	s.settle()
	told := 0
	for _, l := range s.mail.to(p.address) {
		if strings.Contains(l.raw, "recovery code of your") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("the owner was told %d times of a used code, want once", told)
	}
}

// Each proof gives the browser another token. A copy of its cookies from before is worth nothing.
func TestSEC063_TheTokenChangesAtEachProof(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	proofs := map[string]func(v *visitor, flow string, p *phone, a *passkeytest.Authenticator) *answer{
		"a code of the app": func(v *visitor, flow string, p *phone, _ *passkeytest.Authenticator) *answer {
			return v.give(flow, p.code())
		},
		"a recovery code": func(v *visitor, flow string, p *phone, _ *passkeytest.Authenticator) *answer {
			code := p.codes[0]
			p.codes = p.codes[1:]
			return v.giveRecovery(flow, code)
		},
		"a passkey": func(v *visitor, _ string, _ *phone, a *passkeytest.Authenticator) *answer {
			return v.enter(a.Use(v.ask()))
		},
	}
	changes := func(what string, v *visitor, proof func() *answer) {
		t.Helper()
		before, thief := v.cookie("session"), v.copied()
		proof().must(200)
		if after := v.cookie("session"); after == "" || after == before || v.whoami() == "" {
			t.Errorf("%s: the owner is signed in as %q, with the same token: %v", what, v.whoami(), after == before)
		}
		if thief.whoami() != "" || before != "" && s.with(before).whoami() != "" {
			t.Errorf("%s: a copy of the cookies from before is signed in as %q", what, thief.whoami())
		}
	}
	for name, proof := range proofs {
		owner, a := s.holder()
		p := owner.enrol()
		changes("in a session, "+name, owner, func() *answer { return proof(owner, "", p, a) })
		s.clock.Advance(time.Minute)
		v, flow := p.pending()
		changes("after the password, "+name, v, func() *answer { return proof(v, flow, p, a) })
	}
	owner := s.visitor().register(fresh("v"))
	changes("in a session, the password", owner, func() *answer { return owner.signIn(owner.whoami(), good) })
}

func TestSEC096_AResetKeepsTheFactor(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	_, p := s.protected()
	factors := func() int {
		return s.count(`SELECT COUNT(*) FROM factor`)*100 + s.count(`SELECT COUNT(*) FROM recovery_code`)
	}
	have := factors()
	v := s.visitor()
	flow := v.forgot(p.address)
	v.verify(flow, lastCode(s, s.mail, p.address)).must(200)
	next := v.reset(flow, other).next()
	if !strings.HasPrefix(next, "/auth/mfa?flow=") || v.whoami() != "" {
		t.Fatalf("after a reset by email the browser is signed in, or sent to %s", next)
	}
	if factors() != have {
		t.Errorf("the reset left %d factors and codes, want %d", factors(), have)
	}
	v.give(strings.TrimPrefix(next, "/auth/mfa?flow="), p.code()).must(200)
	if v.whoami() != p.address {
		t.Error("the owner is not signed in by both")
	}
}

func TestSEC097_AProviderIsNoSecondFactor(t *testing.T) {
	announce(t)
	t.Parallel()
	s, provider := startWithIDP(t, true)
	owner, p := s.protected()
	claims := object{"sub": fresh("s"), "email": p.address, "email_verified": true}
	next := owner.continueWith(provider.says(claims))
	flow := owner.post("signin", object{"email": p.address, "password": good, "flow": joinFlow(t, next)}).flow()
	if n := s.count(`SELECT COUNT(*) FROM identity`); n != 0 {
		t.Error("an identity was joined by the password alone")
	}
	owner.give(flow, p.code()).must(200)
	if n := s.count(`SELECT COUNT(*) FROM identity`); n != 1 {
		t.Errorf("%d identities are joined after both proofs, want 1", n)
	}
	for _, more := range []object{{}, {"amr": []string{"pwd"}}, {"amr": []string{"mfa", "otp"}, "acr": "urn:mfa"}} {
		for name, value := range claims {
			more[name] = value
		}
		v := s.visitor()
		if next := v.continueWith(provider.says(more)); !strings.HasPrefix(next, "/auth/mfa?flow=") || v.whoami() != "" {
			t.Errorf("with the claims %v the browser is sent to %s, signed in as %q", more, next, v.whoami())
		}
	}
}

func TestSEC098_ChangesNeedAFreshFactor(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	owner, p := s.protected()
	id := owner.shown("/auth/account/factors").List[0].ID
	s.clock.Advance(10 * time.Minute)
	me := owner.id()
	changes := map[string]object{"factors/add": {"account": me}, "factors/codes": {"account": me}, "factors/remove": {"account": me, "id": id}}
	for operation, body := range changes {
		a := owner.post(operation, body)
		a.refused(401, "proof.needed")
		if !strings.Contains(a.body, "with a passkey or a code") {
			t.Errorf("%s: the words do not name the second factor: %s", operation, a.body)
		}
		fields := url.Values{}
		for name, value := range body {
			fields.Set(name, value.(string))
		}
		a = owner.form("/auth/account/"+operation, fields)
		if a.status != 303 || !strings.HasPrefix(a.header.Get("Location"), "/auth/mfa?") {
			t.Errorf("%s without script: %d %s", operation, a.status, a.header.Get("Location"))
		}
	}
	for _, page := range []string{"/auth/account/factors", "/auth/account/passkeys"} {
		if a := owner.get(page); a.status != 303 || a.header.Get("Location") != "/auth/mfa?return_to="+url.QueryEscape(page) {
			t.Errorf("%s leads to %d %s", page, a.status, a.header.Get("Location"))
		}
	}
	if next := owner.post("mfa", object{"code": p.code(), "return_to": "/auth/account/factors"}).next(); next != "/auth/account/factors" {
		t.Errorf("the step leads to %s", next)
	}
	owner.post("factors/codes", object{"account": owner.id()}).must(200)
}

// A new session that has not given the strongest proof of the account changes nothing.
func TestSEC098_AWeakNewProofChangesNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, byCode)
	_, p := s.protected()
	old, flow := p.pending()
	old.give(flow, p.code()).must(200)
	s.clock.Advance(time.Minute)
	trusted := p.trusting()
	if !trusted.enters(p.address, good) {
		t.Fatal("a trusted browser is asked for a code")
	}
	keeper, _ := s.holder()
	password, mailed := s.visitor(), s.visitor()
	password.signIn(keeper.whoami(), good).must(200)
	waiting := mailed.sendCode(keeper.whoami())
	mailed.verify(waiting, lastEmail(s, s.mail, keeper.whoami()).code(t)).must(200)
	for name, v := range map[string]*visitor{
		"a password in a trusted browser": trusted, "a password with a passkey": password, "an emailed code with a passkey": mailed,
	} {
		if v.whoami() == "" {
			t.Fatalf("%s does not sign in", name)
		}
		changes := guardedRoutes(v.id())
		for path, body := range changes {
			if a := v.post(path, body); a.status != 401 || a.code() != "proof.needed" || a.problem().Params["reason"] != "factor" {
				t.Errorf("%s: %s gets %d %s", name, path, a.status, a.body)
			}
		}
	}
	s.clock.Advance(10 * time.Minute)
	for path, body := range guardedRoutes(old.id()) {
		old.post(path, body).refused(401, "proof.needed")
	}
}

func TestSEC099_AnOperatorRemovesTheFactor(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, protects(newApp(t, tempers()["raw"]), "mfa /vault/*", "signed-in /*"))
	owner, p := s.protected()
	strong := owner.rpTokens()
	owner.get("/vault/x").must(200)
	if claims := payloadOf(t, strong.ID); !strings.Contains(claims, `"otp"`) || !strings.Contains(claims, `"acr":"2"`) {
		t.Fatalf("before, an app reads %s", claims)
	}
	a, err := s.app.Operator.User(t.Context(), p.address)
	if err == nil {
		_, err = s.app.Operator.ResetFactors(t.Context(), flow.ByOperator, a.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	if owner.whoami() != "" {
		t.Error("a session with the removed factor goes on")
	}
	s.refused("a refresh token of that session", s.rp("token", refreshForm(strong.Refresh)), "invalid_grant")
	owner.signIn(p.address, good).must(200)
	if owner.whoami() != p.address {
		t.Error("a removed factor is asked for")
	}
	owner.isWeak()

	// The owner removes the last factor.
	owner, p = s.protected()
	elsewhere, flow := p.pending()
	elsewhere.give(flow, p.code()).must(200)
	owner.post("factors/remove", object{"account": owner.id(), "id": owner.shown("/auth/account/factors").List[0].ID}).must(200)
	if elsewhere.whoami() != "" {
		t.Error("another session with the removed factor goes on")
	}
	elsewhere.signIn(p.address, good).must(200)
	elsewhere.isWeak()
}

// isWeak expects that apps and rules count one proof for the session.
func (v *visitor) isWeak() {
	v.Helper()
	if claims := payloadOf(v.T, v.rpTokens().ID); strings.Contains(claims, `"otp"`) || strings.Contains(claims, `"mfa"`) || strings.Contains(claims, `"acr":"2"`) {
		v.Errorf("an app reads %s", claims)
	}
	if a := v.get("/vault/x"); a.status == 200 {
		v.Error("the rule mfa lets the session pass")
	}
}

func TestSEC100_EveryWayInAsksForTheFactor(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	_, p := s.protected()
	local, domain, _ := strings.Cut(p.address, "@")
	for _, spelled := range []string{p.address, strings.ToUpper(local) + "@" + domain, " " + p.address + " ", local + "@" + strings.ToUpper(domain)} {
		v := s.visitor()
		if v.signIn(spelled, good); v.whoami() != "" {
			t.Errorf("%q signs in by the password alone", spelled)
		}
	}
	v := s.visitor()
	v.form("/auth/signin", url.Values{"email": {p.address}, "password": {good}}).must(303)
	if v.whoami() != "" {
		t.Error("the form without script signs in by the password alone")
	}
	v = s.visitor()
	s.visitor().forgot(p.address) // the link is opened in another browser
	v.open(lastEmail(s, s.mail, p.address).token(t)).must(200)
	flow := v.post("confirm-link", object{}).flow()
	v.reset(flow, other).must(200)
	if v.whoami() != "" {
		t.Error("an emailed link signs in")
	}
}

func TestSEC102_AnAppCountsAfterItsFirstCode(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	address := v.whoami()
	first, second := v.post("factors/add", object{"account": v.id()}).flow(), v.post("factors/add", object{"account": v.id()}).flow()
	secret := key(v, v.shown("/auth/account/factors?flow="+first).Secret)
	v.post("factors/confirm", object{"flow": second, "code": secret.At(s.clock.Now())}).refused(422, "factor.new_wrong")
	thief := s.with(v.cookie("session"))
	thief.post("factors/confirm", object{"flow": first, "code": secret.At(s.clock.Now())}).refused(404, "flow.unknown")
	s.clock.Advance(15 * time.Minute)
	v.post("factors/confirm", object{"flow": first, "code": secret.At(s.clock.Now())}).refused(404, "flow.unknown")
	w := s.visitor()
	if w.signIn(address, good).must(200); w.whoami() != address {
		t.Error("an app without a code is asked for")
	}
}

func TestSEC244_SecretsOfFactorsInTheDatabase(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	_, p := s.protected()
	s.settle()
	for table, rows := range s.rows() {
		for _, row := range rows {
			for name, secret := range map[string]string{
				"the secret": string(p.secret), "the secret as hexadecimal": fmt.Sprintf("%x", []byte(p.secret)),
				"the secret as text": base32.StdEncoding.EncodeToString(p.secret), "a recovery code": p.codes[0],
				"a recovery code without hyphens": strings.ReplaceAll(p.codes[0], "-", ""),
			} {
				if strings.Contains(row, secret) {
					t.Errorf("%s is in the table %s", name, table)
				}
			}
		}
	}
}
