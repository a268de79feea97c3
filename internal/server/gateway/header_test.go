package gateway

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode"

	"portico/internal/untrusted"
)

// cgi returns the variable that CGI, WSGI or PHP makes of a header name.
func cgi(name string) string {
	return "HTTP_" + strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII || !alphanumeric(byte(r)) {
			return '_'
		}
		return unicode.ToUpper(r)
	}, name)
}

// SEC-146, SEC-147: every spelling of a protected name is removed, and no other
// header.
func TestGuard(t *testing.T) {
	t.Parallel()
	g := newGuard([]App{{Headers: []Header{{"X-Tenant-User", partID}}}})
	for _, name := range []string{
		"X-Portico-User", "x-portico-user", "X_Portico_User", "X-Portico_User", "X_PORTICO-USER", "X.Portico.User", "HTTP_X_PORTICO_USER", "Http-X-Portico-User",
		"HTTP_HTTP_X_PORTICO_USER", "X!Portico~User", "X-Portico-", "X-Portico-Anything", "x_portico_" + strings.Repeat("a", 100), "X-Tenant-User", "x_tenant.user", "Remote-User", "REMOTE_USER",
		"Remote_Groups", "X-Forwarded-For", "X_Forwarded_For", "x-forwarded-user", "X-Forwarded-Anything", "Forwarded", "X-Real-Ip", "X-Original-Url", "X_Original_URL", "X-Rewrite-Url",
		"X-Http-Method-Override", "X_HTTP_METHOD_OVERRIDE", "Proxy", "X-Request-Id", "X-Client-Ip", "True_Client_IP", "Cf-Connecting-Ip",
		"Remote-Users", "X-Authentik-Groups", "X_WEBAUTH_ROLE", "Transfer_Encoding", "Content.Length", "HTTP_TRANSFER_ENCODING", "Transfer-Encoding", "Http2-Settings",
	} {
		h := http.Header{name: {"evil"}}
		if g.clean(h); len(h) > 0 {
			t.Errorf("%s gets through", name)
		}
	}
	for _, name := range []string{
		"X-Portic", "X-Porticouser", "Xporticouser", "Authorization", "Accept", "X-Tenant", "X-Tenant-Users", "Remotely", "X-Forward", "X-Auth-Token", "User-Agent", "Cookie", "Origin",
		"Sec-Fetch-Mode", "Content-Type", "Content-Length", "Te", "Expect", "If-None-Match", "X-Csrf-Token", "Proxy-Foo", "X-Requested-With", "Request-Id", "X-Nextjs-Data", "Next-Url", "X-Access-Token", "Scripts", "X-" + strings.Repeat("a", 200),
	} {
		h := http.Header{name: {"fine"}}
		if g.clean(h); len(h) != 1 {
			t.Errorf("%s is lost", name)
		}
	}
}

// SEC-207, SEC-222: every header of package untrusted is removed, in every
// spelling that CGI folds into it.
func TestGuard_Untrusted(t *testing.T) {
	t.Parallel()
	g := newGuard(nil)
	names := untrusted.Names(untrusted.All())
	for _, h := range untrusted.All() {
		if prefix, begins := h.Prefix(); begins {
			names = append(names, prefix+"Unheard-Of")
		}
	}
	for _, name := range names {
		under := strings.ReplaceAll(name, "-", "_")
		for _, spelled := range []string{
			name, http.CanonicalHeaderKey(name), strings.ToLower(name), strings.ToUpper(name), under, strings.ToLower(under), strings.Replace(name, "-", "_", 1),
			strings.ReplaceAll(name, "-", "."), "HTTP_" + strings.ToUpper(under), "http-" + name, "Http.Http_" + name,
		} {
			h := http.Header{spelled: {"evil"}}
			if g.clean(h); len(h) > 0 {
				t.Errorf("%s gets through", spelled)
			}
		}
	}
}

// Whatever the name is, a remaining header never becomes one of the protected
// variables.
func FuzzGuard(f *testing.F) {
	for _, s := range []string{"X-Portico-User", "x_portico.user", "HTTP_REMOTE_USER", "Accept", "http-http_x-portico-token"} {
		f.Add(s)
	}
	g := newGuard(nil)
	protected := []string{"HTTP_REMOTE_USER", "HTTP_REMOTE_GROUPS", "HTTP_X_REAL_IP", "HTTP_PROXY", "HTTP_SCRIPT_NAME", "HTTP_PATH_INFO"}
	f.Fuzz(func(t *testing.T, name string) {
		h := http.Header{name: {"evil"}}
		if g.clean(h); len(h) == 0 {
			return
		}
		variable := cgi(name)
		if strings.HasPrefix(variable, "HTTP_X_PORTICO_") || strings.HasPrefix(variable, "HTTP_X_FORWARDED_") || slices.Contains(protected, variable) {
			t.Errorf("%q gets through and is %s", name, variable)
		}
	})
}

func TestParseHeader(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Header{
		"Remote-User: email": {"Remote-User", partEmail}, "x-forwarded-user:id": {"X-Forwarded-User", partID}, " X-Jwt : token ": {"X-Jwt", partToken},
		"X-WEBAUTH-USER: name": {"X-Webauth-User", partName}, "Age2: session_age": {"Age2", partSessionAge},
	} {
		if got, err := ParseHeader(text); err != nil || got != want {
			t.Errorf("ParseHeader(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "Remote-User", ": email", "Remote-User: mail", "Remote_User: email", "Remote User: email", "Rémote: email", "Host: id", "Cookie: token", "Connection: id",
		"Content-Length: id", "X-Portico-User: email", "X-Forwarded-For: id", "Authorization: token", "Sec-Fetch-Mode: id", strings.Repeat("a", 65) + ": id", "X-A\r\nB: id",
	} {
		if got, err := ParseHeader(text); err == nil {
			t.Errorf("ParseHeader(%q) = %v, want an error", text, got)
		}
	}
}

// SEC-159.
func TestEncode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Mara Lind": "Mara Lind", "": "", "100%": "100%25", "J\u00fcrgen": "J%C3%BCrgen", "a\r\nX-Evil: b": "a%0D%0AX-Evil: b", "a\x00b\x7f": "a%00b%7F", "\u202etxt": "%E2%80%AEtxt", "a,b;c": "a,b;c",
	} {
		if got := encode(text); got != want {
			t.Errorf("encode(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestOwnCookie(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"portico-session": true, "__Host-portico-session": true, "__host-PORTICO-x": true, "__Secure-portico-x": true, " portico-x": true, "__Secure-__Host-portico-x": false,
		"portico": true, "__Host-portico": true, "porticos": false, "xportico-session": false, "my-portico-x": false, "__Host-session": false,
	} {
		if ownCookie(name) != want {
			t.Errorf("ownCookie(%q) is %v", name, !want)
		}
	}
}
