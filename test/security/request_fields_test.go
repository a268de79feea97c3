package security

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/apikey"
	"portico/internal/server/admin"
)

func TestSEC162_NothingButTheFieldsIsTaken(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	known := fresh("v")
	s.operator(known, good)
	v := s.visitor()
	flow := v.forgot(known)
	v.verify(flow, s.mail.next(known).code(t)).must(200)
	bodies := map[string]object{
		"signup":         {"email": fresh("n"), "password": good, "confirm_password": good},
		"signin":         {"email": known, "password": good},
		"reset-password": {"flow": flow, "password": other, "confirm_password": other},
	}
	s.unchanged("an unknown field", func() {
		for operation, body := range bodies {
			for _, name := range []string{
				"id", "sub", "role", "roles", "groups", "admin", "is_admin", "email_verified", "verified", "disabled", "state", "created_at", "password_hash",
				"totp_secret", "mfa_required", "tenant", "metadata", "version", "account_id", "user", "Email", "PASSWORD", "__proto__", "user.roles", "user[roles]", "name",
			} {
				if operation == "signup" && name == "name" {
					continue // a field of the form if the operator asks for it, otherwise dropped
				}
				for _, value := range []any{"admin", true, []string{"admin"}, object{"roles": "admin"}} {
					more := object{name: value}
					for k, v := range body {
						more[k] = v
					}
					if a := v.post(operation, more); a.status != 400 {
						t.Errorf("%s with %s gets status %d %s", operation, name, a.status, a.body)
					}
				}
				form := url.Values{name: {"admin"}}
				for k, v := range body {
					form.Set(k, fmt.Sprint(v))
				}
				if a := v.form("/auth/"+operation, form); a.status != 400 {
					t.Errorf("the form %s with %s gets status %d", operation, name, a.status)
				}
			}
		}
	})
}

func TestSEC163_IdentityComesFromTheSession(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	victim := s.visitor().register(fresh("victim"))
	var who struct{ User struct{ ID, Email string } }
	victim.do("GET", "/auth/api/session", "", nil).must(200).parse(&who)
	for _, v := range []*visitor{s.visitor(), s.visitor().register(fresh("a"))} {
		own := v.whoami()
		for _, name := range []string{"userId", "user_id", "sub", "accountId", "account_id", "email", "as", "on_behalf_of", "user", "session"} {
			for _, value := range []string{who.User.ID, who.User.Email} {
				query := "?" + url.Values{name: {value}}.Encode()
				h := v.ours("application/json")
				h["X-"+name], h["X-User-Id"], h["X-Forwarded-User"], h["Remote-User"] = []string{value}, []string{value}, []string{value}, []string{value}
				for _, target := range []string{"/auth/api/session", "/auth/api/sessions", "/auth/account"} {
					if a := v.do("GET", target+query, "", h); strings.Contains(a.body, who.User.Email) || strings.Contains(a.body, who.User.ID) {
						t.Errorf("%q sees the victim by %s: %s", own, name, a.body)
					}
				}
				v.do("DELETE", "/auth/api/sessions"+query, encode(object{name: value}), h)
			}
		}
		if v.whoami() != own {
			t.Errorf("%q became %q", own, v.whoami())
		}
	}
	if victim.whoami() == "" {
		t.Error("somebody has ended the victim's session")
	}
}

func TestSEC164_ForeignIDsAreMissing(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	victim, attacker := s.visitor().register(fresh("victim")), s.visitor().register(fresh("a"))
	var list struct{ Sessions []struct{ ID string } }
	victim.do("GET", "/auth/api/sessions", "", nil).must(200).parse(&list)
	flow := victim.forgot(fresh("n"))
	ids := map[string]string{"session": list.Sessions[0].ID, "flow": flow}
	for pattern := range routes() {
		if !strings.Contains(pattern, "{id}") {
			continue
		}
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			_, target := path(pattern)
			for _, v := range []*visitor{attacker, s.visitor()} {
				made := v.do(method, target, "", v.ours(""))
				for what, id := range ids {
					foreign := v.do(method, strings.Replace(target, flowID, id, 1), "", v.ours(""))
					if foreign.status != made.status || requestIDs.ReplaceAllString(foreign.body, "") != requestIDs.ReplaceAllString(made.body, "") {
						if !strings.HasPrefix(made.header.Get("Location"), "/auth/error") { // the error page shows the id of the request
							t.Errorf("%s %s with a foreign %s gets status %d %s, with a made-up one %d %s", method, target, what, foreign.status, foreign.body, made.status, made.body)
						}
					}
				}
			}
		}
	}
	if victim.whoami() == "" || victim.do("GET", "/auth/api/flows/"+flow, "", nil).status != 200 {
		t.Error("data of the victim are gone")
	}
}

func TestSEC169_NoInputReachesSQL(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	for _, trick := range []string{
		"'", `"`, ")", ";", "--", "\\", "%", "_", "' OR '1'='1", "x' UNION SELECT password FROM account--", "1; DROP TABLE account", "$1", "?1", ":a", "\x00", "'||(SELECT 1)||'",
		"a'@x.test", `"'"@x.test`, "v%@x.test", "v_@x.test", strings.Repeat("'", 200), "\u2019", "\xff",
	} {
		escaped := url.QueryEscape(trick)
		answers := []*answer{
			v.do("GET", "/auth/api/flows/"+url.PathEscape(trick), "", nil),
			v.do("DELETE", "/auth/api/sessions/"+url.PathEscape(trick), "", v.ours("")),
			v.get("/auth/verify-code?flow=" + escaped), v.get("/auth/confirm-link?token=" + escaped), v.get("/auth/signin?flow=" + escaped),
			v.get("/auth/error?code=" + escaped + "&request=" + escaped), v.get("/auth/provider/" + url.PathEscape(trick) + "/callback?state=" + escaped),
			v.post("signin", object{"email": trick, "password": trick, "flow": trick, "return_to": trick}),
			v.post("forgot-password", object{"email": trick}), v.post("verify-code", object{"flow": trick, "code": trick}),
			v.post("resend", object{"flow": trick}), v.form("/auth/signin", url.Values{"email": {trick}, "password": {"x"}}),
			s.with(url.QueryEscape(trick)).do("GET", "/auth/api/session", "", nil),
		}
		for i, a := range answers {
			if a.status >= 500 || a.status == 200 && i != 3 && i != 4 && i != 8 { // pages, and answers that are the same for every address
				t.Errorf("%q in request %d gets status %d %.100s", trick, i, a.status, a.body)
			}
		}
	}
	if v.whoami() == "" || s.count(`SELECT COUNT(*) FROM account`) != 1 {
		t.Error("rows are gone")
	}
}

// No parameter of a page and no field of an OpenID client is a text that no database keeps.
func TestSEC169_NoParameterReachesSQL(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	judge := func(what, trick string, a *answer) {
		if a.status >= 500 {
			t.Errorf("%s with %q gets status %d %.100s", what, trick, a.status, a.body)
		}
	}
	for _, trick := range []string{"\x00", "\xff"} {
		for pattern := range routes() {
			method, target := path(pattern)
			if method != "GET" || strings.HasSuffix(target, "signout") {
				continue
			}
			for _, name := range []string{"flow", "before", "only", "way", "return_to", "link", "user_code", "failed", "client_id", "nonce", "state", "code", "error", "id_token_hint"} {
				judge(target+"?"+name, trick, v.do("GET", target+"?"+name+"="+url.QueryEscape(trick), "", http.Header{"Accept": {"text/html"}}))
			}
		}
		for name := range codeRequest("client_id", "x", "redirect_uri", "x", "claims", "x", "resource", "x", "request_uri", "x") {
			asked := codeRequest("client_id", "spa", "redirect_uri", "https://spa.test/cb", name, trick)
			judge("a request with "+name, trick, v.get("/auth/openid/authorize?"+asked.Encode()))
			for _, endpoint := range []string{"token", "par", "revoke", "introspect", "device"} {
				judge(endpoint+" with "+name, trick, s.visitor().form("/auth/openid/"+endpoint, asked))
			}
		}
	}
}

// What an admin looks for, the token of a page and the fields of a change are text too.
func TestSEC169_NoInputOfAdminsReachesSQL(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	ada, _ := s.admin()
	_, secret := s.key(ada.id(), apikey.Scopes()...)
	target := s.operator(fresh("t"), good).ID
	tokens := map[string]string{}
	for _, list := range []string{"people", "record"} {
		var page struct{ Next string }
		if ada.get("/auth/api/admin/" + list + "?limit=1").must(200).parse(&page); page.Next == "" {
			t.Fatalf("the list %s has one page", list)
		}
		tokens[list] = page.Next
	}
	judge := func(what, trick string, a *answer) {
		if a.status >= 500 || a.status == 429 {
			t.Errorf("%s with %q gets status %d %.100s", what, trick, a.status, a.body)
		}
	}
	for _, trick := range []string{"'", `"`, "%", "_", "' OR '1'='1", "x' UNION SELECT password FROM account--", "$1", "\x00", "\xff", "\xed\xa0\x80", strings.Repeat("'", 3000)} {
		s.clock.Advance(time.Minute) // a program may send 600 requests
		for _, o := range admin.Operations() {
			path := strings.NewReplacer("{id}", target, "{email}", flowID).Replace(o.Path)
			header := http.Header{"Authorization": {"Bearer " + secret}}
			for _, name := range o.Query {
				query := url.Values{name: {trick}}
				if name == "q" {
					query.Set("by", "name-prefix")
				}
				judge(o.Path+"?"+name, trick, s.visitor().do("GET", path+"?"+query.Encode(), "", header))
			}
		}
		for list, token := range tokens {
			text, err := base64.RawURLEncoding.DecodeString(token)
			s.must(err)
			for at := range text {
				forged := base64.RawURLEncoding.EncodeToString(slices.Concat(text[:at], []byte(trick), text[at:]))
				judge(list, trick, ada.get("/auth/api/admin/"+list+"?after="+forged))
			}
		}
	}
	if s.count(`SELECT COUNT(*) FROM account`) != 2 {
		t.Error("rows are gone")
	}
}

func TestSEC170_LogLinesCannotBeForged(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor()
	const forged = "\n{\"event\":\"admin_login\"}\x1b[31m\u2028"
	v.post("signin", object{"email": "a@x.test" + forged, "password": forged})
	v.post("verify-code", object{"flow": forged, "code": forged})
	v.get("/auth/signin?email=" + url.QueryEscape(forged) + "&x=" + strings.Repeat("a", 7000))
	v.get("/auth/" + url.PathEscape(forged))
	v.get("/auth/error?code=" + url.QueryEscape(forged))
	v.get("/auth/provider/" + url.PathEscape("acme"+forged) + "/callback?error=" + url.QueryEscape(forged) + "&error_description=" + url.QueryEscape(forged))
	s.raw("GET /x" + strings.ReplaceAll(forged, "\n", "%0a") + " HTTP/1.1\r\nHost: portico.test\r\nUser-Agent: \x1b[31m\r\nConnection: close\r\n\r\n")
	s.raw("FORGED\x1b[31m / HTTP/1.1\r\nHost: portico.test\r\nConnection: close\r\n\r\n")
	v.do("GET", "/auth/signin", "", http.Header{"X-Request-Id": {"forged-id"}, "User-Agent": {strings.Repeat("u", 20_000)}})
	lines := 0
	for scan := bufio.NewScanner(strings.NewReader(s.log.String())); scan.Scan(); lines++ {
		var entry map[string]any
		if err := json.Unmarshal(scan.Bytes(), &entry); err != nil || entry["event"] != nil || len(scan.Bytes()) > 8<<10 {
			t.Errorf("a line of the log: %.300s", scan.Text())
		}
		if strings.ContainsAny(scan.Text(), "\x1b\u2028") || strings.Contains(scan.Text(), "forged-id") {
			t.Errorf("the log shows %.300q", scan.Text())
		}
	}
	if lines < 5 {
		t.Errorf("the log has %d lines only", lines)
	}
}

func TestSEC172_ErrorsTellNothingInternal(t *testing.T) {
	announce(t)
	t.Parallel()
	s := startWhole(t)
	v := s.visitor()
	internal := []string{
		"sql", "sqlite", "no such table", "relation", "postgres", "gone_", "account_id", ".go:", "goroutine", "panic", "internal/", "portico.db", s.config.DatabaseURL, "SELECT", "runtime error", "127.0.0.1",
	}
	check := func(a *answer) {
		t.Helper()
		text := a.body
		if i := strings.Index(text, "<script"); i > 0 && strings.HasPrefix(a.header.Get("Content-Type"), "text/html") {
			text = text[:i] // the text of the page without the names of its scripts
		}
		for _, word := range internal {
			if strings.Contains(text, word) {
				t.Errorf("an answer %d tells %q: %.300s", a.status, word, text)
			}
		}
		if strings.HasPrefix(a.header.Get("Content-Type"), "application/problem+json") {
			if p := a.problem(); p.Code == "" || p.RequestID == "" {
				t.Errorf("a refusal without code or request id: %s", a.body)
			}
		}
	}
	for _, body := range []string{"{", "[]", `{"email":1}`, "", "null", strings.Repeat("[", 1000)} {
		check(v.do("POST", "/auth/api/signin", body, v.ours("application/json")))
	}
	check(v.do("PUT", "/auth/api/signin", "", v.ours("")))
	check(v.get("/auth/api/flows/" + strings.Repeat("9", 4000)))
	s.breakStore()
	for pattern, r := range routes() {
		for _, accept := range []string{"text/html", "application/json"} {
			method, target := path(pattern)
			h := v.ours(r.contentType(pattern))
			h.Set("Accept", accept)
			check(s.with(strings.Repeat("A", 43)).do(method, target, r.body, h))
		}
	}
	check(v.post("signin", object{"email": "a@x.test", "password": good}))
	check(v.form("/auth/forgot-password", url.Values{"email": {"a@x.test"}}))
	if log := s.log.String(); !strings.Contains(log, "no such table") && !strings.Contains(log, "does not exist") {
		t.Error("the operator does not learn the cause either")
	}
}

// A user who has just given the strongest proof sends the ids of another user's passkeys
// and apps in bodies. They are missing, as made-up ids are.
func TestSEC164_ForeignIDsInBodies(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	victim, p := s.protected()
	theirs, _ := s.passkeyOf(p)
	var passkey string
	if err := s.database().QueryRow(`SELECT id FROM passkey`).Scan(&passkey); err != nil {
		t.Fatal(err)
	}
	victim.post("mfa", object{"code": p.code()})
	factor := victim.shown("/auth/account/factors").List[0].ID
	attacker, _ := s.holder()
	for path, ids := range map[string][]string{
		"account/passkeys/rename": {passkey, flowID}, "account/passkeys/remove": {passkey, flowID}, "factors/remove": {factor, flowID},
	} {
		answers := map[string]*answer{}
		for _, id := range ids {
			body := object{"account": attacker.id(), "id": id, "name": "mine"}
			if strings.HasSuffix(path, "remove") {
				delete(body, "name")
			}
			answers[id] = attacker.post(path, body).must(404)
		}
		alike(t, answers)
	}
	attacker.post("account/password", object{"account": victim.id(), "password": other, "confirm_password": other})
	attacker.form("/auth/account/browsers", url.Values{"account": {victim.id()}})
	s.in(theirs)
	if n := s.count(`SELECT COUNT(*) FROM factor`); n != 1 {
		t.Errorf("%d factors are left", n)
	}
	s.visitor().signIn(p.address, good).must(200)
}
