package security

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// keeper uses a parameter once as its owner does, and returns how someone sends it again.
type keeper func(victim *visitor, address string) (again func(v *visitor) *answer)

// kept are the parameters that a stranger can keep, from a history, a log or an own attempt.
func kept(s *site, p *idp) map[string]keeper {
	opens := func(target string) func(*visitor) *answer {
		return func(v *visitor) *answer { return v.get(target) }
	}
	login := func(changes ...string) url.Values {
		return codeRequest(append([]string{"prompt", "login"}, changes...)...)
	}
	return map[string]keeper{
		"portico_mark": func(victim *visitor, address string) func(*visitor) *answer {
			to := victim.signInTo(address, victim.sentFor(login()))
			victim.getsCode("the first time", to)
			return opens(to)
		},
		"portico_refused": func(*visitor, string) func(*visitor) *answer {
			return opens("/auth/openid/authorize?" + login().Encode() + "&portico_refused=1")
		},
		"request_uri": func(victim *visitor, _ string) func(*visitor) *answer {
			target := "/auth/openid/authorize?" + url.Values{"client_id": {"rp"}, "request_uri": {s.pushes()}}.Encode()
			victim.getsCode("the first time", target)
			return opens(target)
		},
		"id_token_hint": func(victim *visitor, _ string) func(*visitor) *answer {
			return opens("/auth/openid/authorize?" + login("id_token_hint", victim.rpTokens().ID).Encode())
		},
		"login_hint": func(_ *visitor, address string) func(*visitor) *answer {
			return opens("/auth/openid/authorize?" + login("login_hint", address).Encode())
		},
		"return_to": func(victim *visitor, address string) func(*visitor) *answer {
			to := victim.sentFor(login())
			victim.getsCode("the first time", victim.signInTo(address, to))
			return func(v *visitor) *answer {
				v.get("/auth/signin?" + url.Values{"return_to": {to}}.Encode()).must(200)
				return v.get(to)
			}
		},
		"again": func(victim *visitor, _ string) func(*visitor) *answer { return opens("/auth/signin?again=1") },
		"email": func(_ *visitor, address string) func(*visitor) *answer {
			return opens("/auth/signin?" + url.Values{"email": {address}, "again": {"1"}}.Encode())
		},
		"flow": func(_ *visitor, address string) func(*visitor) *answer {
			v := s.visitor()
			flow := v.forgot(address)
			code := v.mail.next(address).code(v.T)
			v.verify(flow, code).must(200)
			return func(v *visitor) *answer {
				v.get("/auth/reset-password?flow=" + flow)
				return v.reset(flow, good)
			}
		},
		"code": func(_ *visitor, address string) func(*visitor) *answer {
			v := s.visitor()
			flow := v.sendCode(address)
			code := v.mail.next(address).code(v.T)
			v.verify(flow, code).must(200)
			return func(v *visitor) *answer { return v.verify(flow, code) }
		},
		"token": func(_ *visitor, address string) func(*visitor) *answer {
			v := s.visitor()
			v.sendCode(address)
			token := v.mail.next(address).token(v.T)
			v.open(token).must(200)
			v.form("/auth/confirm-link", url.Values{}).must(303)
			return func(v *visitor) *answer {
				v.open(token)
				return v.form("/auth/confirm-link", url.Values{})
			}
		},
		"state": func(_ *visitor, _ string) func(*visitor) *answer {
			v := s.visitor()
			p.says(object{"sub": fresh("s"), "email": fresh("p"), "email_verified": true, "auth_time": s.clock.Now().Unix()})
			values := p.approve(v.leave("acme", nil))
			v.callback("acme", values).must(303)
			return func(v *visitor) *answer { return v.callback("acme", values) }
		},
		"bind": func(*visitor, string) func(*visitor) *answer {
			bind := hostBind(s.visitor())
			return func(v *visitor) *answer { return v.crosses(v.copied().ticketFor(bind)) }
		},
		"ticket": func(victim *visitor, _ string) func(*visitor) *answer {
			v := s.visitor()
			ticket := victim.copied().ticketFor(hostBind(v))
			if v.crosses(ticket); v.at(wikiHost, "GET", "/app/x", "").status != 200 {
				v.Error("the ticket lets nobody in")
			}
			return func(v *visitor) *answer { return v.crosses(ticket) }
		},
		"user_code": func(victim *visitor, _ string) func(*visitor) *answer {
			d := s.device()
			victim.form(devicePath, d.answer(victim, "allow")).must(200)
			return func(v *visitor) *answer {
				v.get(devicePath + "?user_code=" + d.user)
				return v.form(devicePath, url.Values{"code": {d.user}, "answer": {"allow"}})
			}
		},
		"before": func(victim *visitor, _ string) func(*visitor) *answer {
			return opens("/auth/account/history?before=" + victim.id())
		},
		"attempt": func(victim *visitor, _ string) func(*visitor) *answer {
			return opens("/auth/signin?failed=account.disabled&provider=acme&attempt=" + flowID)
		},
		"device_code": func(victim *visitor, _ string) func(*visitor) *answer {
			d := s.device()
			victim.form(devicePath, d.answer(victim, "allow")).must(200)
			if d.polls().Access == "" {
				victim.Error("the device gets no tokens")
			}
			return func(*visitor) *answer { return d.polls().answer }
		},
		"client_assertion": func(*visitor, string) func(*visitor) *answer {
			assertion := s.assertion(nil)
			s.asks(assertion)
			return func(*visitor) *answer { return s.asks(assertion).answer }
		},
	}
}

// ticketFor returns a ticket with which the session of the browser reaches the browser of a bind.
func (v *visitor) ticketFor(bind string) string {
	v.Helper()
	page := v.at("portico.test", "GET", "/auth/enter?"+url.Values{"to": {"https://" + wikiHost + "/app/x"}, "bind": {bind}}.Encode(), "")
	_, rest, _ := strings.Cut(page.body, `name="ticket" value="`)
	ticket, _, _ := strings.Cut(rest, `"`)
	return ticket
}

// crosses shows a ticket at the host of an app.
func (v *visitor) crosses(ticket string) *answer {
	v.Helper()
	a := v.at(wikiHost, "POST", "/auth/arrive", url.Values{"ticket": {ticket}, "to": {"/app/x"}}.Encode())
	return v.at(wikiHost, "GET", a.header.Get("Location"), "")
}

// worthless says why it gives a stranger nothing to keep any other parameter.
func worthless() map[string][]string {
	return map[string][]string{
		"a secret of its owner, who types or signs it, with an attack of its own": {
			"password", "confirm_password", "client_secret", "code_verifier", "access_token", "refresh_token",
			"credential", "client_data", "authenticator_data", "signature", "user_handle", "attestation", "transports",
		},
		"the id of something that belongs to the session (SEC-164)":                       {"account", "id", "app", "address", "second"},
		"what a new token may do, from a form with the nonce and a fresh proof (SEC-434)": {"role", "days"},
		"what the answer of a page may do is judged again (SEC-140, 144, 342)":            {"request", "scopes", "answer"},
		"a button, a choice or a text of a page":                                          {"way", "trust", "use", "name", "terms", "passkey", "makes_passkeys", "locale", "quiet", "section", "screen", "file", "link", "only"},
		"it selects one of the messages of a page (SEC-251)":                              {"failed", "provider", "changed", "code"},
		"it is compared with what the client or the host has registered":                  {"to", "client_id", "redirect_uri", "post_logout_redirect_uri"},
		"what a client asks for, which only asks for more, and is judged at each request": {"scope", "state", "nonce", "prompt", "max_age", "acr_values", "claims", "ui_locales", "resource", "response_mode", "response_type", "code_challenge", "code_challenge_method", "dpop_jkt", "grant_type", "client_assertion_type"},
	}
}

// TestSEC341_KeptParameters sends each parameter again: at once, in another browser, with another account, and an
// hour later. No browser is signed in by it, no client gets a code or a token, and no demand is switched off.
func TestSEC341_KeptParameters(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true, newWiki(t).serves, byCode, withTV, withRP3(t))
	for name, use := range kept(s, p) {
		t.Run(name, func(t *testing.T) {
			address := fresh("v")
			victim, mallory := s.visitor().register(address), s.visitor().register(fresh("m"))
			again := use(victim, address)
			sends := func(who string, v *visitor) {
				t.Helper()
				before, session := v.whoami(), v.cookie("session")
				a := again(v)
				location := a.header.Get("Location")
				if strings.HasPrefix(location, rpBack) && query(t, location).Has("code") || strings.Contains(a.body, "access_token") {
					t.Errorf("%s: %d %s %.200s", who, a.status, location, a.body)
				}
				if v.whoami() != before || v.cookie("session") != session {
					t.Errorf("%s: signed in as %q and not %q", who, v.whoami(), before)
				}
				if before == "" && (strings.Contains(a.body, address) && name != "email" && name != "login_hint") {
					t.Errorf("%s: the page shows the address: %.300s", who, a.body)
				}
			}
			sends("the same browser", victim)
			sends("another browser", s.visitor())
			sends("another account", mallory)
			s.clock.Advance(65 * time.Minute)
			sends("the same browser, later", victim)
			sends("another account, later", mallory)
		})
	}
}

// TestSEC341_AllParameters holds that each parameter that the servers read has a row.
func TestSEC341_AllParameters(t *testing.T) {
	announce(t)
	t.Parallel()
	known := slices.Concat(slices.Collect(maps.Values(worthless()))...)
	known = slices.AppendSeq(known, maps.Keys(kept(nil, nil)))
	read := parameters(t)
	for name, where := range read {
		if !slices.Contains(known, name) {
			t.Errorf("%s reads the parameter %q: say in kept or worthless what it gives to a stranger who keeps it", where, name)
		}
	}
	for _, name := range known {
		if read[name] == "" {
			t.Errorf("nothing reads the parameter %q", name)
		}
	}
}

var (
	readsQuery = regexp.MustCompile(`\b(?:query|values|asked|answer|Query\(\))(?:\.(?:Get|Has)\("|\[")([a-z_]+)"|PathValue\("([a-z_]+)"\)|&(portico_[a-z]+)=|Param = "(portico_[a-z]+)"`)
	takesForm  = regexp.MustCompile(`Receive\[(?:form\.)?([A-Za-z]+)\]|, in (?:form\.)?([A-Z][A-Za-z]+)\)`)
)

// parameters returns the parameters that the servers read from queries, paths and forms, each with a
// file that reads it.
func parameters(t *testing.T) map[string]string {
	t.Helper()
	found, forms := map[string]string{}, map[string]bool{}
	var files []string
	for _, folder := range []string{"form", "screens", "issuer", "provider", "gateway", "api"} {
		list, err := filepath.Glob("../../internal/server/" + folder + "/*.go")
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, list...)
	}
	files = append(files, "../../internal/openid/request.go", "../../internal/openid/logout.go", "../../internal/flow/provider.go", "../../internal/flow/mark.go")
	files = slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, "_test.go") || strings.HasSuffix(f, "/marks.go") }) // which reads no request
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range readsQuery.FindAllStringSubmatch(string(text), -1) {
			found[strings.Join(m[1:], "")] = file
		}
		for _, m := range takesForm.FindAllStringSubmatch(string(text), -1) {
			forms[m[1]+m[2]] = true
		}
	}
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || !forms[spec.Name.Name] {
				return true
			}
			if fields, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range fields.Fields.List {
					if f.Tag != nil {
						name, _, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
						found[name] = file
					}
				}
			}
			return false
		})
	}
	return found
}
