package security

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	requestIDs = regexp.MustCompile(`"request_id":"[^"]*"|Request ID: \w+|&#34;request_id&#34;:&#34;[^&]*`)
	flowIDs    = regexp.MustCompile(`[0-9a-hjkmnp-tv-z]{26}`)
)

// face returns an answer without the parts that differ between any two
// requests.
func (a *answer) face() string {
	h := maps.Clone(a.header)
	h.Del("Date")
	h.Del("X-Request-Id")
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(h)) {
		value := strings.Join(h[name], "|")
		if name == "Set-Cookie" {
			value = regexp.MustCompile(`=[^;|]+`).ReplaceAllString(value, "=") // a random value
		}
		lines = append(lines, name+": "+flowIDs.ReplaceAllString(value, "ID"))
	}
	body := flowIDs.ReplaceAllString(requestIDs.ReplaceAllString(a.body, "RID"), "ID")
	return http.StatusText(a.status) + "\n" + strings.Join(lines, "\n") + "\n\n" + body
}

// alike fails if the answers differ.
func alike(t *testing.T, answers map[string]*answer) {
	t.Helper()
	names := slices.Sorted(maps.Keys(answers))
	for _, name := range names[1:] {
		if a, b := answers[names[0]].face(), answers[name].face(); a != b {
			t.Errorf("%s differs from %s:\n%s\n---\n%s", name, names[0], a, b)
		}
	}
}

// cast holds one address for each kind of account that a stranger must not tell
// apart.
type cast struct {
	active, unverified, disabled, federated, nobody string

	registrant *visitor // the browser of the unverified user
}

func (s *site) cast() cast {
	s.Helper()
	c := cast{fresh("active"), fresh("unverified"), fresh("disabled"), fresh("federated"), fresh("nobody"), s.visitor()}
	s.operator(c.active, good)
	c.registrant.signUp(c.unverified, good)
	s.operator(c.disabled, good)
	s.disable(c.disabled)
	s.operator(c.federated, "") // a user who came from a provider and has no password
	s.settle()
	return c
}

func (c cast) all() map[string]string {
	return map[string]string{
		"active": c.active, "unverified": c.unverified, "disabled": c.disabled, "federated": c.federated, "nobody": c.nobody,
	}
}

func TestSEC001_SignInAnswersAlike(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	people := s.cast()
	for _, encoding := range []string{"script", "form"} {
		answers := map[string]*answer{}
		for kind, address := range people.all() {
			if encoding == "script" {
				answers[kind] = s.visitor().signIn(address, other)
				answers[kind].refused(401, "signin.rejected")
				continue
			}
			a := s.visitor().form("/auth/signin", map[string][]string{"email": {address}, "password": {other}})
			a.body = strings.ReplaceAll(a.body, address, "ADDRESS") // the page repeats the typed address
			a.header.Del("Content-Length")
			answers[kind] = a
		}
		alike(t, answers)
	}
	// The sixth attempt is limited for all addresses alike.
	answers := map[string]*answer{}
	for kind, address := range people.all() {
		for range 4 {
			answers[kind] = s.visitor().signIn(address, other)
		}
		answers[kind].refused(429, "throttle.limited")
	}
	alike(t, answers)
	// Only the right password gets a different answer.
	s.clock.Advance(time.Hour)
	s.visitor().signIn(people.disabled, good).refused(403, "account.disabled")
	if next := people.registrant.signIn(people.unverified, good).next(); !strings.HasPrefix(next, "/auth/verify-code?flow=") {
		t.Errorf("the right password of an unproven address leads to %s", next)
	}
}

func TestSEC002_SignInTimeTellsNothing(t *testing.T) {
	announce(t)
	s := start(t, costly)
	people := s.cast()
	attempt := func(address string) func() time.Duration {
		v := s.visitor()
		return func() time.Duration {
			s.clock.Advance(31 * 24 * time.Hour) // after all limits have ended
			return timed(func() { v.signIn(address, other).refused(401, "signin.rejected") })
		}
	}
	n := rounds(60, 300)
	nobody := attempt(people.nobody)
	for range 5 {
		nobody() // warm up
	}
	judge(t, "SEC-002 wrong password, active and nobody", n, 5*time.Millisecond, attempt(people.active), nobody)
	judge(t, "SEC-002 wrong password, active and federated", rounds(40, 200), 5*time.Millisecond, attempt(people.active), attempt(people.federated))
	judge(t, "SEC-002 wrong password, active and disabled", rounds(40, 200), 5*time.Millisecond, attempt(people.active), attempt(people.disabled))
	for name := range s.visitor().signIn(people.nobody, other).header {
		if strings.Contains(strings.ToLower(name), "timing") || strings.HasPrefix(strings.ToLower(name), "x-runtime") {
			t.Errorf("the answer tells its own time: %s", name)
		}
	}
}

func TestSEC003_SignUpWithTakenAddressAnswersAlike(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, costly)
	people := s.cast()
	owner := s.visitor()
	owner.signIn(people.active, good).must(200)
	s.settle()
	before := len(s.mail.all())
	answers := map[string]*answer{}
	for kind, address := range people.all() {
		v := s.visitor()
		answers[kind] = v.post("signup", object{"email": address, "password": other, "confirm_password": other})
		if v.cookie("session") != "" {
			t.Errorf("%s: a session before the address is proven", kind)
		}
	}
	alike(t, answers)
	s.settle()
	if n := len(s.mail.all()) - before; n != 5 {
		t.Errorf("%d emails, want one to each", n)
	}
	if mails := s.mail.to(people.active); mails[len(mails)-1].code(t) != "" || !strings.Contains(mails[len(mails)-1].subject(t), "already") {
		t.Error("the owner of the address does not learn that it has an account, or gets a code")
	}
	if s.mail.to(people.nobody)[0].code(t) == "" {
		t.Error("the new address got no code")
	}
	if owner.whoami() != people.active {
		t.Error("the owner's session has ended")
	}
	// A sign-up and then a sign-in with the same password reveal nothing
	// either.
	for kind, address := range people.all() {
		v := s.visitor()
		v.signUp(address, other)
		answers[kind] = v.signIn(address, other)
		answers[kind].must(200)
	}
	alike(t, answers)
	s.visitor().signIn(people.active, good).must(200)
	s.visitor().signIn(people.active, other).refused(401, "signin.rejected")

	n := rounds(20, 200)
	if !full() {
		return // TestSEC004 also measures the time, and hashing dominates it here
	}
	try := func(address func() string) func() time.Duration {
		return func() time.Duration {
			s.clock.Advance(25 * time.Hour)
			to, v := address(), s.visitor()
			return timed(func() { v.signUp(to, other) })
		}
	}
	judge(t, "SEC-003 sign-up, taken and new", n, 5*time.Millisecond, try(func() string { return people.active }), try(func() string { return fresh("n") }))
}

func TestSEC004_ForgotPasswordIsUniform(t *testing.T) {
	announce(t)
	s := start(t, costly)
	people := s.cast()
	answers := map[string]*answer{}
	for kind, address := range people.all() {
		answers[kind] = s.visitor().post("forgot-password", object{"email": address})
	}
	alike(t, answers)
	s.settle()
	closed := s.mail.to(people.disabled) // by the operator, and the answer
	if len(closed) != 2 {
		t.Errorf("a disabled account gets %d emails", len(closed))
	}
	for _, email := range closed {
		if email.code(t) != "" || email.token(t) != "" {
			t.Error("a disabled account gets email that helps to recover it")
		}
	}
	if s.mail.to(people.active)[0].code(t) == "" {
		t.Error("the owner of an account gets no code")
	}
	if c := s.mail.to(people.nobody); len(c) != 1 || c[0].code(t) != "" {
		t.Error("an unknown mailbox does not learn that it has no account")
	}

	attempt := func(address string) func() time.Duration {
		v := s.visitor()
		return func() time.Duration {
			s.clock.Advance(25 * time.Hour)
			defer s.settle()
			return timed(func() { v.forgot(address) })
		}
	}
	n := rounds(60, 300)
	judge(t, "SEC-004 forgot password, active and nobody", n, 5*time.Millisecond, attempt(people.active), attempt(people.nobody))
	judge(t, "SEC-004 forgot password, active and disabled", n, 5*time.Millisecond, attempt(people.active), attempt(people.disabled))
}

func TestSEC005_ResendAndVerifyTellNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	people := s.cast()
	resent, guessed := map[string]*answer{}, map[string]*answer{}
	browsers := map[string]*visitor{}
	flows := map[string]string{}
	for kind, address := range people.all() {
		browsers[kind] = s.visitor()
		flows[kind] = browsers[kind].forgot(address)
	}
	s.clock.Advance(31 * time.Second)
	for kind, v := range browsers {
		a := v.post("resend", object{"flow": flows[kind]})
		a.body = strings.NewReplacer(people.all()[kind], "ADDRESS", people.all()[kind][:1]+"•••", "MASK").Replace(a.body)
		a.header.Del("Content-Length")
		resent[kind] = a
		guessed[kind] = v.verify(flows[kind], "000000")
	}
	alike(t, resent)
	if code := guessed["nobody"].code(); code != "code.wrong" {
		t.Fatalf("a wrong code is %s", code)
	}
	alike(t, guessed)

	s.clock.Advance(2 * time.Hour) // the flows have expired
	v := browsers["active"]
	gone := map[string]*answer{
		"expired":         v.verify(flows["active"], "000000"),
		"made up":         v.verify(flowID, "000000"),
		"another browser": browsers["nobody"].verify(flows["active"], "000000"),
	}
	gone["made up"].refused(404, "flow.unknown")
	alike(t, gone)
}

func TestSEC009_NoSideChannels(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	known, unknown := fresh("aaaa"), fresh("bbbb")
	s.operator(known, good)
	operations := map[string]func(address string) object{
		"signin":          func(a string) object { return object{"email": a, "password": other} },
		"signup":          func(a string) object { return object{"email": a, "password": other, "confirm_password": other} },
		"forgot-password": func(a string) object { return object{"email": a} },
	}
	for operation, body := range operations {
		for _, coding := range []string{"", "gzip", "gzip, br"} {
			answers := map[string]*answer{}
			for kind, address := range map[string]string{"known": known, "unknown": unknown} {
				v := s.visitor()
				v.header.Set("Accept-Encoding", coding)
				answers[kind] = v.post(operation, body(address))
				for name := range answers[kind].header {
					if strings.Contains(name, "Ratelimit") {
						t.Errorf("%s shows a counter: %s", operation, name)
					}
				}
			}
			alike(t, answers) // the face contains Content-Length and the names of the cookies
		}
	}
	// The limits of both addresses are reached at the same request, with the
	// same wait.
	for range 6 {
		answers := map[string]*answer{}
		for kind, address := range map[string]string{"known": known, "unknown": unknown} {
			answers[kind] = s.visitor().signIn(address, other)
		}
		alike(t, answers)
	}
}

func TestSEC010_OutsidersGetNoListsOrHints(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	known := fresh("aaaa")
	s.visitor().register(known)
	anonymous := s.visitor()
	for _, path := range []string{"/auth/api/session", "/auth/api/sessions", "/auth/api/admin/people"} {
		anonymous.do("GET", path, "", nil).refused(401, "session.required")
	}
	for _, path := range []string{"/auth/api/users", "/auth/api/accounts", "/auth/avatar/" + known} {
		if a := anonymous.do("GET", path, "", nil); a.status != 404 {
			t.Errorf("%s answers %d", path, a.status)
		}
	}
	for _, path := range []string{
		"/.well-known/webfinger?resource=acct:", "/auth/signin?login_hint=", "/auth/signup?email=", "/auth/api/session?email=",
	} {
		a, b := anonymous.do("GET", path+known, "", nil), anonymous.do("GET", path+fresh("bbbb"), "", nil)
		alike(t, map[string]*answer{"known": a, "unknown": b})
	}
}
