package security

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// links returns every web address in an email.
func (l *email) links(t *testing.T) []string {
	t.Helper()
	text, html := l.bodies(t)
	var found []string
	for word := range strings.FieldsFuncSeq(text+" "+html, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'<>", r) }) {
		if strings.Contains(word, "://") {
			found = append(found, word)
		}
	}
	return found
}

// ownLinksOnly fails if an email links to another site.
func (s *site) ownLinksOnly(l *email) {
	s.Helper()
	links := l.links(s.T)
	if len(links) == 0 {
		s.Error("the email has no link at all")
	}
	for _, link := range links {
		if !strings.HasPrefix(link, s.origin+"/") && link != s.origin && !strings.HasPrefix(link, "http://www.w3.org/") {
			s.Errorf("the email leads to %s", link)
		}
	}
}

func TestSEC043_HostReachesNoLink(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	victim := fresh("victim")
	s.operator(victim, good)
	body := encode(object{"email": victim})
	for _, host := range []string{
		"evil.test", "portico.test.evil.test", "portico.test@evil.test", "portico.test:80@evil.test", "portico.test#", "portico.test:8443",
		"portico.test,evil.test", "evil.test/portico.test", "portico.test.", "", "[::1]", "xn--portico-.test", "portico.test:443:443",
	} {
		request := fmt.Sprintf("POST /auth/api/forgot-password HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", host, s.origin, len(body), body)
		for _, a := range s.raw(request) {
			if a.status != 421 && a.status != 400 {
				t.Errorf("the host %q gets status %d", host, a.status)
			}
		}
		for _, a := range s.raw("GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n") {
			if location := a.header.Get("Location"); a.status < 400 && location != "/auth/signin" || strings.Contains(location, "evil") {
				t.Errorf("the host %q gets status %d to %q", host, a.status, location)
			}
		}
	}
	s.settle()
	if n := len(s.mail.to(victim)); n != 0 {
		t.Errorf("%d emails were caused under a foreign host", n)
	}
	s.visitor().do("POST", "/auth/api/forgot-password", body, http.Header{
		"Host": {"PORTICO.test"}, "Origin": {s.origin}, "Content-Type": {"application/json"},
	}).must(200)
	s.ownLinksOnly(s.mail.next(victim))
}

func TestSEC044_ForwardingHeadersReachNoLink(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	for name, value := range map[string]string{
		"X-Forwarded-Host": "evil.test", "X-Forwarded-Proto": "http", "X-Forwarded-Port": "8443", "X-Forwarded-Prefix": "//evil.test",
		"X-Forwarded-Server": "evil.test", "X-Original-Host": "evil.test", "X-Host": "evil.test", "X-Rewrite-Url": "//evil.test/",
		"X-Original-Url": "/auth/error", "Forwarded": "host=evil.test;proto=http", "X-Forwarded-Scheme": "javascript", "Front-End-Https": "off",
	} {
		victim := fresh("victim")
		s.operator(victim, "")
		v := s.visitor()
		v.header.Set(name, value)
		v.forgot(victim)
		s.ownLinksOnly(s.mail.next(victim))
		for _, target := range []string{"/", "/auth/account", "/.well-known/change-password"} {
			if location := v.get(target).must(303).header.Get("Location"); !strings.HasPrefix(location, "/auth/") {
				t.Errorf("%s: %s leads %s to %s", name, value, target, location)
			}
		}
		a := v.do("POST", "/auth/api/forgot-password", encode(object{"email": victim}), http.Header{
			"Origin": {"http://portico.test"}, "Content-Type": {"application/json"},
		})
		a.refused(403, "request.cross_origin")
		for _, cookie := range v.form("/auth/signout", url.Values{}).header["Set-Cookie"] {
			if !strings.Contains(cookie, "Secure") {
				t.Errorf("%s: %s makes the cookie %s", name, value, cookie)
			}
		}
	}
}

func TestSEC046_AddressAsListOrTwice(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	victim, attacker := fresh("victim"), fresh("attacker")
	s.operator(victim, good)
	v := s.visitor()
	for _, body := range []string{
		`{"email":["` + victim + `","` + attacker + `"]}`,
		`{"email":"` + victim + `","email":"` + attacker + `"}`,
		`{"email":"` + attacker + `","email":"` + victim + `"}`,
		`{"email":"` + victim + `","EMAIL":"` + attacker + `"}`,
		`{"email":"` + victim + `","Email":"` + attacker + `"}`,
		`{"email":"` + victim + `","ema\u0131l":"` + attacker + `"}`,
		`{"email":"` + victim + `","email\u0000":"` + attacker + `"}`,
		`{"email":{"email":"` + victim + `"}}`,
		`[{"email":"` + victim + `"}]`,
	} {
		if a := v.do("POST", "/auth/api/forgot-password", body, v.ours("application/json")); a.status != 400 {
			t.Errorf("%s gets status %d %s", body, a.status, a.body)
		}
	}
	for _, body := range []string{
		"email=" + victim + "&email=" + attacker, "email[]=" + victim + "&email[]=" + attacker, "email=" + victim + "&Email=" + attacker,
		"email=" + victim + "&email%5B0%5D=" + attacker, "email=" + victim + ";email=" + attacker,
	} {
		for _, target := range []string{"/auth/forgot-password", "/auth/api/forgot-password"} {
			if a := v.do("POST", target, body, v.ours("application/x-www-form-urlencoded")); a.status != 400 && a.status != 422 {
				t.Errorf("%s gets status %d", body, a.status)
			}
		}
	}
	v.do("POST", "/auth/api/forgot-password?email="+attacker, encode(object{"email": victim}), v.ours("application/json")).must(200)
	s.mail.next(victim)
	s.settle()
	if n := len(s.mail.to(attacker)); n != 0 {
		t.Errorf("%d emails went to the attacker", n)
	}
	if n := len(s.mail.all()); n != 1 {
		t.Errorf("%d emails, want one", n)
	}
}

// trickAddresses are texts that some library reads as another address, as
// several addresses or as a command.
func trickAddresses(victim, attacker string) []string {
	return []string{
		attacker + "," + victim, attacker + ";" + victim, attacker + " " + victim, attacker + "\t" + victim, attacker + "\n" + victim,
		attacker + "%0a" + victim, victim + ">,<" + attacker, victim + "\r\nRCPT TO:<" + attacker + ">", victim + "\r\nBcc: " + attacker,
		victim + "\x00" + attacker, victim + "\u2028" + attacker, victim + "\u0085",
		`"` + attacker + ` x"@b.test`, "Name <" + attacker + ">", "<" + attacker + ">", "a(comment)@b.test", "=?x?q?=61=40evil.test=3e=00?=foo@b.test",
		"a%b.test@relay.test", "a!b@relay.test", "a@[127.0.0.1]", "a@b", "@r1:a@b.test", "a@b@c.test", "a..b@c.test", ".a@c.test", "a.@c.test",
		"a@-c.test", "a@c..test", "a@c.test.", "a@127.0.0.1", "mailto:a@c.test", `a\@b@c.test`, "", "@", strings.Repeat("a", 65) + "@x.test",
		"a@" + strings.Repeat("b.", 130) + "test", "\u202ea@x.test", "a\u200b@x.test", "\uff41@x.test", "a@\uff58.test", "a@x\u3002test",
		"a`b@x.test",
	}
}

func TestSEC047_OneMailHasOneRecipient(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	victim, attacker := fresh("victim"), fresh("attacker")
	s.operator(victim, "")
	v := s.visitor()
	for _, address := range trickAddresses(victim, attacker) {
		if a := v.post("forgot-password", object{"email": address}); a.status != 422 && a.status != 400 {
			t.Errorf("%q gets status %d %s", address, a.status, a.body)
		}
	}
	s.settle()
	if n := len(s.mail.all()); n != 0 {
		t.Errorf("%d emails were sent to addresses that are none", n)
	}
	v.forgot(" " + victim + " ")
	s.settle()
	for _, l := range s.mail.all() {
		if len(l.recipients) != 1 || l.recipients[0] != victim {
			t.Errorf("an email went to %q", l.recipients)
		}
	}
}

func TestSEC048_StrangeAddressesAreRefused(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor()
	for _, address := range trickAddresses(fresh("victim"), fresh("attacker")) {
		for operation, body := range map[string]object{
			"signup": {"email": address, "password": good, "confirm_password": good},
			"signin": {"email": address, "password": good},
		} {
			a := v.post(operation, body)
			if a.status != 422 && a.status != 400 {
				t.Errorf("%s: %q gets status %d", operation, address, a.status)
			}
		}
	}
	// Accepted addresses are stored as typed.
	for _, address := range []string{"User.Name+tag@X.test", "o'hara@x.test", "a_b-c=d@sub.x.test", "#$&*/?^{|}~@x.test"} {
		w := s.visitor()
		flow := w.signUp(" "+address, good)
		w.verify(flow, s.mail.next(address).code(t)).must(200)
		if n := s.count(`SELECT COUNT(*) FROM account WHERE address = $1`, address); n != 1 {
			t.Errorf("%s is not stored as it was typed", address)
		}
	}
}

// headersOf returns the names of all headers of our emails.
func headersOf() []string {
	return []string{
		"Auto-Submitted", "Content-Type", "Date", "From", "Message-Id", "Mime-Version", "Subject", "To", "X-Auto-Response-Suppress",
	}
}

func TestSEC049_NothingIsInjectedIntoMails(t *testing.T) {
	announce(t)
	t.Parallel()
	for _, trick := range []string{
		"x\r\nBcc: a@evil.test\r\n\r\nbody", "x\u2028Bcc: a@evil.test", "\n.\n", strings.Repeat("Aa ", 3000), "=?utf-8?q?x?=", "Firefox\x00\x1b[31m",
	} {
		s := start(t)
		s.config.Brand.Name = trick // a wrong setting of the operator must not inject either
		s.restart()
		address := fresh("v")
		v := s.visitor()
		agent := strings.NewReplacer("\r", "", "\n", "", "\x00", "", "\x1b", "", "\u2028", " ").Replace(trick)
		v.header["User-Agent"] = []string{agent[:min(len(agent), 8000)]}
		v.header["Accept-Language"] = []string{"de;q=1\tx"}
		v.forgot(address)
		email := s.mail.next(address)
		var names []string
		for name, values := range email.header(t) {
			names = append(names, name)
			if len(values) != 1 || strings.Contains(values[0], "evil.test") && name != "Subject" && name != "From" {
				t.Errorf("%.20q makes %s: %q", trick, name, values)
			}
		}
		slices.Sort(names)
		if !slices.Equal(names, headersOf()) {
			t.Errorf("%.20q makes the headers %v", trick, names)
		}
		if from := email.header(t).Get("From"); !strings.HasSuffix(from, "no-reply@portico.test>") && from != "no-reply@portico.test" {
			t.Errorf("%.20q makes the sender %q", trick, from)
		}
		for line := range strings.SplitSeq(email.raw, "\r\n") {
			if len(line) > 998 || strings.ContainsAny(line, "\r\n\x00") {
				t.Errorf("%.20q makes a line of %d bytes", trick, len(line))
			}
		}
		if len(email.recipients) != 1 || email.from != "no-reply@portico.test" {
			t.Errorf("%.20q makes the envelope %v", trick, email)
		}
		s.ownLinksOnly(email)
	}
}

func TestSEC050_NothingIsInjectedIntoTheTextOfMails(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	for _, trick := range []string{
		`<a href=//evil.test>Claim</a>`, `http://evil.test win`, strings.Repeat("x", 500), "\u202egro.live\u202c", `<img src=x onerror=alert(1)>`,
	} {
		address := s.named(trick)
		v := s.visitor()
		v.header["User-Agent"] = []string{strings.Map(func(r rune) rune { return map[bool]rune{true: r, false: '?'}[r < 0x80] }, trick)}
		v.signIn(address, good).must(200)
		email := s.mail.next(address) // a sign-in from a new browser
		text, html := email.bodies(t)
		for _, body := range []string{text, html} {
			if strings.Contains(body, "evil.test") || strings.Contains(body, "onerror=alert") || strings.Contains(body, "\u202e") || strings.Contains(body, strings.Repeat("x", 200)) {
				t.Errorf("%.30q stands in the email:\n%s", trick, body)
			}
		}
		s.ownLinksOnly(email)
	}
}

func TestSEC051_MailGoesToTheStoredAddress(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	s.operator("mike@x.test", good)
	s.operator("kiss@x.test", good)
	v := s.visitor()
	for address, code := range map[string]string{
		"m\u0131ke@x.test": "address.letters", "mi\u212Ae@x.test": "address.letters", "ki\u017Fs@x.test": "address.letters", "\u1d39ike@x.test": "address.letters",
		"mike@\uff58.test": "address.invalid", "\u24dc\u24d8\u24da\u24d4@x.test": "address.invalid",
	} {
		v.post("forgot-password", object{"email": address}).refused(422, code)
		v.post("signup", object{"email": address, "password": other, "confirm_password": other}).refused(422, code)
	}
	s.settle()
	if n := len(s.mail.all()); n != 0 {
		t.Fatalf("%d emails to look-alikes", n)
	}
	v.forgot("MIKE@X.TEST")
	s.settle()
	if all := s.mail.all(); len(all) != 1 || all[0].recipients[0] != "mike@x.test" {
		t.Errorf("the email went to %v, not to the address of the account", all[0].recipients)
	}
}

func TestSEC053_CaseIsNoOtherAccount(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor()
	flow := v.signUp("User@X.test", good)
	v.verify(flow, s.mail.next("User@X.test").code(t)).must(200)
	for _, spelling := range []string{"user@x.TEST", "USER@x.test"} {
		w := s.visitor()
		w.signUp(spelling, other)
		if code := s.mail.next("User@X.test").code(t); code != "" {
			t.Errorf("%s got a code of its own", spelling)
		}
		s.visitor().signIn(spelling, good).must(200)
		s.settle()
		s.mail.next("User@X.test") // about the new browser
	}
	if s.visitor().signIn("user@x.test", good).keep().whoami() != "User@X.test" {
		t.Error("the address is not shown as it was typed")
	}
	if n := s.count(`SELECT COUNT(*) FROM account`); n != 1 {
		t.Errorf("%d accounts, want one", n)
	}
}

func TestSEC054_MailboxesAreNotFlooded(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	known, unknown := fresh("known"), fresh("unknown")
	s.operator(known, good)
	networks := make([]*visitor, 10)
	for i := range networks {
		networks[i] = s.visitor()
	}
	received := func() (n int) {
		s.settle()
		for _, l := range s.mail.all() {
			if strings.Contains(l.recipients[0], "known") {
				n++
			}
		}
		return n
	}
	for hour := range rounds(6, 26) {
		before := received()
		for i := range rounds(30, 300) / 2 {
			for _, address := range []string{known, unknown} {
				local, domain, _ := strings.Cut(address, "@")
				spelling := []string{address, strings.ToUpper(address), fmt.Sprintf("%s+%d@%s", local, i, domain)}[i%3]
				v := networks[i%len(networks)]
				a := v.post("forgot-password", object{"email": spelling})
				if i%5 == 0 {
					a = v.post("resend", object{"flow": a.flow()})
					if a.status != 429 {
						t.Errorf("a resend within the pause gets status %d", a.status)
					}
				} else if a.status != 200 {
					t.Errorf("request %d gets status %d", i, a.status)
				}
			}
		}
		s.visitor().signUp(known, other)
		if n := received() - before; n > 25+1 {
			t.Errorf("%d emails to two mailboxes in hour %d, at most 25 to the known and one to the other", n, hour)
		}
		s.clock.Advance(time.Hour)
	}
	n := map[string]int{}
	for _, l := range s.mail.all() {
		n[map[bool]string{true: "unknown", false: "known"}[strings.Contains(strings.ToLower(l.recipients[0]), "unknown")]]++
	}
	t.Logf("SEC-054: %d emails to the known and %d to the unknown mailbox in %d hours", n["known"], n["unknown"], rounds(6, 26))
	if n["known"] > rounds(40, 80) || n["unknown"] > rounds(1, 2) {
		t.Error("more emails than 40 a day, or more than one a day to an unknown mailbox")
	}
}

func TestSEC506_EachSpellingOfAMailboxCounts(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor()
	local, domain, _ := strings.Cut(fresh("spelled"), "@")
	for i := range 2 * len(local) {
		at, sign := i/2+1, ".-"[i%2:i%2+1]
		if at == len(local) {
			break
		}
		v.post("signup", object{"email": local[:at] + sign + local[at:] + "@" + domain, "password": good, "confirm_password": good})
	}
	s.settle()
	if n := len(s.mail.all()); n > 4 {
		t.Errorf("one network causes %d emails to a mailbox within an hour, by spellings of its address", n)
	}
}

func TestSEC055_OwnersAreTold(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	s.operator(address, good)
	v := s.visitor()
	v.header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
	v.signIn(address, good).must(200)
	newBrowser := s.mail.next(address)
	v.signIn(address, good).must(200) // the browser is known now
	for range 5 {
		s.visitor().signIn(address, other)
	}
	blocked := s.mail.next(address)
	flow := v.forgot(address)
	v.verify(flow, s.mail.next(address).code(t)).must(200)
	v.reset(flow, other).must(200)
	changed := s.mail.next(address)
	for want, email := range map[string]*email{"New sign-in": newBrowser, "paused": blocked, "was changed": changed} {
		text, _ := email.bodies(t)
		if !strings.Contains(email.subject(t), want) {
			t.Errorf("the notice is %q, want one about %q", email.subject(t), want)
		}
		button := "/auth/not-me?token="
		if want == "paused" {
			button = "/auth/forgot-password" // no stranger got in
		}
		for _, part := range []string{"2026", button, "If this was"} {
			if !strings.Contains(text, part) {
				t.Errorf("the notice about %q does not say %q:\n%s", want, part, text)
			}
		}
		if email.code(t) != "" || email.token(t) != "" || strings.Count(text, "token=") != strings.Count(text, "/auth/not-me?token=") {
			t.Errorf("the notice about %q holds a secret", want)
		}
	}
	if text, _ := newBrowser.bodies(t); !strings.Contains(text, "Firefox") {
		t.Errorf("the notice does not name the browser:\n%s", text)
	}
	s.settle()
	if n := len(s.mail.to(address)); n != 4 {
		t.Errorf("%d emails, want 4", n)
	}
}
