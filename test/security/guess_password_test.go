package security

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/config"
)

func TestSEC011_PasswordLimitHoldsAcrossNetworks(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	victim := fresh("victim")
	s.operator(victim, good)
	for range rounds(60, 150) {
		if a := s.visitor().signIn(victim, other); a.status != 401 && a.status != 429 {
			t.Fatalf("a wrong password: %d %s", a.status, a.body)
		}
	}
	if n := s.evaluated("sign_in_failed"); n != 5 {
		t.Errorf("%d passwords of the burst were compared, want 5", n)
	}
	if n := s.count(`SELECT COUNT(*) FROM audit WHERE name = 'throttled'`); n != 1 {
		t.Errorf("the record has %d entries about the burst, want one", n)
	}
	s.settle()
	if mails := s.mail.to(victim); len(mails) != 1 || !strings.Contains(mails[0].subject(t), "paused") {
		t.Errorf("the owner got %d emails about the burst, want one", len(mails))
	}
	// A patient attacker waits as long as each answer says.
	waits, tries := []time.Duration{}, max(10, rounds(10, 110))
	for range tries {
		a := s.visitor().signIn(victim, other)
		if a.status != 429 {
			continue
		}
		wait := time.Duration(a.problem().RetryAfter) * time.Second
		waits = append(waits, wait)
		if wait > 24*time.Hour {
			break // the limit that ends all guessing
		}
		s.clock.Advance(wait)
		s.visitor().signIn(victim, other).refused(401, "signin.rejected")
	}
	if waits[0] != 30*time.Second || waits[1] != time.Minute || max(waits[2], waits[3]) > 4*time.Minute {
		t.Errorf("the waits grow as %v", waits)
	}
	n := s.evaluated("sign_in_failed")
	if n > 100 {
		t.Errorf("%d wrong passwords in a row were compared, at most 100 may be (NIST 800-63B-4 3.2.2)", n)
	}
	if full() && n != 100 {
		t.Errorf("guessing ended after %d", n)
	}
	t.Logf("SEC-011: %d compared of %d sent, first waits %v", n, rounds(60, 150)+2*len(waits), waits[:4])
	// The owner still gets in through the mailbox.
	v := s.visitor()
	flow := v.forgot(victim)
	mails := s.mail
	v.verify(flow, lastCode(s, mails, victim)).must(200)
	v.reset(flow, other+" 2").must(200)
	s.visitor().signIn(victim, other+" 2").must(200)
}

// lastCode waits for the outbox and returns the newest code.
func lastCode(s *site, m *mailServer, address string) string {
	s.Helper()
	return lastEmail(s, m, address).code(s.T)
}

// lastEmail waits for the outbox and returns the newest email with a code.
// Notices that are sent at the same time may arrive before or after it.
func lastEmail(s *site, m *mailServer, address string) *email {
	s.Helper()
	s.settle()
	for _, l := range slices.Backward(m.to(address)) {
		if l.code(s.T) != "" {
			return l
		}
	}
	s.Fatalf("no code was mailed to %s", address)
	return nil
}

// forwarding returns the headers by which proxies name a client.
func forwarding(address string) http.Header {
	return http.Header{
		"X-Forwarded-For": {address}, "X-Real-Ip": {address}, "True-Client-Ip": {address}, "Cf-Connecting-Ip": {address},
		"Forwarded": {"for=" + address}, "X-Client-Ip": {address}, "Fastly-Client-Ip": {address}, "X-Cluster-Client-Ip": {address},
	}
}

func TestSEC012_ForwardingHeadersDoNotMoveTheLimit(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor()
	const limit = 300 // flows that send email, for one network in an hour
	for i := range limit + 1 {
		h := v.ours("application/json")
		for name, values := range forwarding(fmt.Sprintf("203.0.%d.%d", i/200, i%200+1)) {
			h[name] = values
		}
		a := v.do("POST", "/auth/api/forgot-password", encode(object{"email": "nobody@x.test"}), h)
		if want := map[bool]int{true: 200, false: 429}[i < limit]; a.status != want {
			t.Fatalf("request %d gets status %d, want %d", i+1, a.status, want)
		}
	}
	v.header = forwarding("203.0.113.1")
	v.header.Set("Accept-Language", "en")
	v.signIn("nobody@x.test", good).refused(401, "signin.rejected") // the audit record names the client's address
	if n := s.count(`SELECT COUNT(*) FROM audit WHERE peer LIKE '203.%'`); n != 0 {
		t.Errorf("%d entries of the record name an address that the client made up", n)
	}
}

func TestSEC012_TrustedProxyNamesTheClient(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, func(c *config.Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.99.0.0/16")} })
	address := fresh("v")
	s.operator(address, good)
	for proxy, want := range map[string]string{"127.99.0.1": "198.51.100.7/32", "127.98.0.1": "127.98.0.1/32"} {
		v := s.visitorFrom(proxy)
		v.header["X-Forwarded-For"] = []string{"1.2.3.4, 198.51.100.7"} // the client itself wrote the first address
		v.signIn(address, good).must(200)
		if n := s.count(`SELECT COUNT(*) FROM audit WHERE name = 'signed_in' AND peer = $1`, want); n != 1 {
			t.Errorf("through %s the record does not name %s", proxy, want)
		}
	}
}

func TestSEC014_SpellingsShareOneCount(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("victim")
	s.operator(address, good)
	local, _, _ := strings.Cut(address, "@")
	spellings := []string{
		address, strings.ToUpper(address), " " + address + " ", "\t" + address, local + "@X.Test", strings.ToUpper(local) + "@x.test",
		"V" + address[1:], "vI" + address[2:],
	}
	for _, spelling := range spellings {
		s.visitor().signIn(spelling, other)
		s.visitor().form("/auth/signin", url.Values{"email": {spelling}, "password": {other}})
	}
	if n := s.evaluated("sign_in_failed"); n != 5 {
		t.Errorf("%d passwords were compared over %d spellings, want 5", n, len(spellings))
	}
	for _, spelling := range []string{local + "%40x.test", "v\u0131ctim@x.test", local + "@x.test.", "\uff56ictim@x.test"} {
		if a := s.visitor().signIn(spelling, good); a.status == 200 {
			t.Errorf("%q signed in as %s", spelling, address)
		}
	}
}

func TestSEC015_CodeGuessesCountAcrossFlows(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	victim := fresh("victim")
	s.operator(victim, good)
	perHour := []int{}
	// After the emails of the day there is no code to guess.
	for total := 0; total < 100 && len(perHour) < 48; {
		v := s.visitor()
		flow := v.forgot(victim)
		for i := range 30 {
			switch i {
			case 8, 16:
				flow = s.startAnother(v, flow, victim) // each new flow sends a new code
			}
			v.verify(flow, fmt.Sprintf("%06d", rand.IntN(1e6)))
		}
		n := s.evaluated("code_failed")
		perHour = append(perHour, n-total)
		total = n
		s.clock.Advance(time.Hour + time.Minute)
	}
	for hour, n := range perHour {
		if n > 10 {
			t.Errorf("%d codes were compared in hour %d, at most 10 may be", n, hour)
		}
	}
	v := s.visitor()
	s.clock.Advance(25 * time.Hour)
	flow := v.forgot(victim)
	mailed := lastEmail(s, s.mail, victim)
	code, token := mailed.code(t), mailed.token(t)
	v.verify(flow, code).refused(429, "code.link_only") // even the right code
	if n := s.evaluated("code_failed"); n > 100 {
		t.Errorf("%d wrong codes in a row were compared, at most 100 may be", n)
	}
	t.Logf("SEC-015: compared by hour %v; the chance to hit one of two valid codes was %.1e an hour", perHour, 2e-6*10)
	v.open(token).must(200)
	v.post("confirm-link", object{}).must(200) // the owner opens the link
}

// startAnother begins another flow, by a resend where that is possible.
func (s *site) startAnother(v *visitor, flow, address string) string {
	s.clock.Advance(31 * time.Second)
	if a := v.post("resend", object{"flow": flow}); a.status == 200 {
		return a.flow()
	}
	return v.forgot(address)
}

func TestSEC018_ParallelGuessesCannotPassTheLimit(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	workers := rounds(40, 200)
	hits := 0
	for range rounds(4, 20) {
		victim := fresh("victim")
		s.operator(victim, "")
		v := s.visitor()
		flow := v.forgot(victim)
		code := s.mail.next(victim).code(t)
		before, right := s.evaluated("code_failed"), rand.IntN(workers)
		var passed, failed, odd atomic.Int64
		atOnce(workers, func(i int) {
			guess := fmt.Sprintf("%06d", i)
			if i == right || guess == code {
				guess = code
			}
			a, err := v.try("POST", "/auth/api/verify-code", encode(object{"flow": flow, "code": guess}), v.ours("application/json"))
			switch {
			case err != nil || a.status >= 500:
				odd.Add(1)
			case a.status == 200:
				passed.Add(1)
			default:
				failed.Add(1)
			}
		})
		n := s.evaluated("code_failed") - before
		if n > 5 || passed.Load() > 1 || odd.Load() > 0 || n == 5 && passed.Load() > 0 {
			t.Errorf("of %d guesses at once %d were compared and wrong, %d passed, %d failed oddly", workers, n, passed.Load(), odd.Load())
		}
		hits += int(passed.Load())
	}
	t.Logf("SEC-018: %d rounds of %d guesses, the right one was among the first five in %d", rounds(4, 20), workers, hits)
}

func TestSEC019_LimitsDoNotDependOnTheSpellingOfTheURL(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	victim := fresh("victim")
	s.operator(victim, good)
	v := s.visitor()
	for range 5 {
		v.signIn(victim, other).refused(401, "signin.rejected")
	}
	before := s.evaluated("sign_in_failed")
	body := encode(object{"email": victim, "password": good})
	for _, target := range []string{
		"//auth/api/signin", "/auth//api/signin", "/auth/./api/signin", "/auth/api/../api/signin", "/auth/api/signin/", "/AUTH/api/signin",
		"/auth/api/SignIn", "/%61uth/api/signin", "/auth/api/signin;x=1", "/auth/api/signin?a=1", "/auth/api%2fsignin", "/auth/api/signin%00",
		"/auth/api/signin%20", "/auth/api\\signin", "/auth/api/signin.json", "/auth/signin?x",
	} {
		for _, form := range []bool{false, true} {
			contentType, sent := "application/json", body
			if form {
				contentType, sent = "application/x-www-form-urlencoded", url.Values{"email": {victim}, "password": {good}}.Encode()
			}
			for _, a := range s.raw(fmt.Sprintf("POST %s HTTP/1.1\r\nHost: portico.test\r\nOrigin: %s\r\nContent-Type: %s\r\nX-HTTP-Method-Override: PUT\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s",
				target, s.origin, contentType, len(sent), sent)) {
				if a.status < 300 || len(a.header["Set-Cookie"]) > 0 {
					t.Errorf("%s (form %v) gets status %d", target, form, a.status)
				}
			}
		}
	}
	if n := s.evaluated("sign_in_failed"); n != before {
		t.Errorf("%d more passwords were compared", n-before)
	}
}

// The limit of a network stops one network. Only the limit of each account
// stops spraying from many networks: no limit counts failures over all accounts
// yet.
func TestSEC021_SprayingFromOneNetworkIsStopped(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor()
	var stopped atomic.Int64
	atOnce(4, func(worker int) { // the network limit lets four pass at once
		for i := range 26 {
			address := fmt.Sprintf("spray%d.%d@x.test", worker, i)
			a, err := v.try("POST", "/auth/api/signin", encode(object{"email": address, "password": "Summer2026!"}), v.ours("application/json"))
			if err == nil && a.status == 429 {
				stopped.Add(1)
			}
		}
	})
	if n := stopped.Load(); n != 4 {
		t.Errorf("%d of 104 attempts were refused, want 4: a hundred failures in ten minutes", n)
	}
	address := fresh("v")
	s.operator(address, good)
	s.visitor().signIn(address, good).must(200) // other networks are not locked out
}

// Each redirect to a provider stores a row for a while.
func TestSEC021_OneNetworkCannotBeginWithoutEnd(t *testing.T) {
	announce(t)
	t.Parallel()
	s, _ := startWithIDP(t, true)
	v := s.visitor()
	for range 200 {
		v.form("/auth/provider/acme/start", nil).must(200)
	}
	a := v.form("/auth/provider/acme/start", nil)
	if a.status != 429 || a.header.Get("Retry-After") == "" {
		t.Errorf("the 201st way to a provider in ten minutes gets status %d", a.status)
	}
	s.visitor().form("/auth/provider/acme/start", nil).must(200)
}

func TestSEC023_LimitsSurviveRestart(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	victim := fresh("victim")
	s.operator(victim, good)
	v := s.visitor()
	flow := v.forgot(victim)
	code := s.mail.next(victim).code(t)
	for range 5 {
		v.verify(flow, wrong(code))
		v.signIn(victim, other)
	}
	s.restart()
	again := s.visitor()
	again.cookies = v.cookies
	again.verify(flow, code).refused(429, "code.used_up")
	s.visitor().signIn(victim, good).refused(429, "throttle.limited")
}
