package security

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"portico/internal/account"
	"portico/internal/flow"
	"portico/internal/server"
)

// route describes a route, its access and a request for it.
type route struct {
	anonymous int    // the status without a session
	signedIn  int    // the status with a session
	body      string // a plausible body of a write, JSON where the route takes it
	crossSite bool   // accepts writes of other sites; its code says why that is safe
}

const flowID = "0123456789abcdefghjkmnpqr0" // the id of no existing flow

// routes lists all routes of the public listener. TestSEC165 fails for a route
// that is not listed here.
func routes() map[string]route {
	credentials := `{"email":"nobody@x.test","password":"no password of anybody"}`
	registration := `{"email":"not an address","password":"x","confirm_password":"y"}`
	table := map[string]route{
		"GET /{$}":                                  {303, 303, "", false},
		"GET /.well-known/change-password":          {303, 303, "", false},
		"GET /.well-known/jwks.json":                {200, 200, "", false},
		"OPTIONS /.well-known/jwks.json":            {204, 204, "", false},
		"GET /auth/signin":                          {200, 200, "", false},
		"POST /auth/signin":                         {401, 401, credentials, false},
		"GET /auth/signup":                          {200, 200, "", false},
		"POST /auth/signup":                         {422, 422, registration, false},
		"GET /auth/forgot-password":                 {200, 200, "", false},
		"POST /auth/forgot-password":                {422, 422, `{"email":"no"}`, false},
		"GET /auth/verify-code":                     {200, 200, "", false},
		"POST /auth/verify-code":                    {404, 404, `{"flow":"` + flowID + `","code":"000000"}`, false},
		"POST /auth/verify-code/resend":             {404, 404, `{"flow":"` + flowID + `"}`, false},
		"GET /auth/confirm-link":                    {422, 422, "", false},
		"POST /auth/confirm-link":                   {422, 422, `{}`, false},
		"POST /auth/confirm-link/anew":              {422, 422, `{}`, false},
		"POST /auth/confirm-link/resend":            {422, 422, `{}`, false},
		"GET /auth/reset-password":                  {303, 303, "", false},
		"POST /auth/reset-password":                 {303, 303, `{"flow":"` + flowID + `","password":"x","confirm_password":"x"}`, false},
		"GET /auth/account":                         {303, 200, "", false},
		"GET /auth/account/password":                {303, 200, "", false},
		"POST /auth/account/password":               {303, 409, `{"account":"other","password":"x","confirm_password":"x"}`, false},
		"POST /auth/account/password/remove":        {303, 409, `{"account":"other"}`, false},
		"GET /auth/account/history":                 {303, 200, "", false},
		"GET /auth/account/apps":                    {303, 200, "", false},
		"POST /auth/account/apps":                   {303, 409, `{"account":"other","app":"x"}`, false},
		"GET /auth/account/data":                    {303, 200, "", false},
		"POST /auth/account/data":                   {303, 409, `{"account":"other"}`, false},
		"GET /auth/account/browsers":                {303, 200, "", false},
		"POST /auth/account/browsers":               {303, 409, `{"account":"other","id":"` + flowID + `"}`, false},
		"GET /auth/account/tokens":                  {303, 200, "", false},
		"POST /auth/account/tokens":                 {303, 409, `{"account":"other","nonce":"x","name":"x","app":"x","days":"30"}`, false},
		"POST /auth/account/tokens/end":             {303, 409, `{"account":"other","id":"` + flowID + `"}`, false},
		"POST /auth/api/account/tokens":             {401, 409, `{"account":"other","nonce":"x","name":"x","app":"x","days":"30"}`, false},
		"GET /auth/account/providers":               {303, 200, "", false},
		"POST /auth/account/providers/connect":      {303, 409, `{"account":"other","provider":"x"}`, false},
		"POST /auth/account/providers/disconnect":   {303, 409, `{"account":"other","provider":"x"}`, false},
		"GET /auth/account/delete":                  {303, 200, "", false},
		"POST /auth/account/delete":                 {303, 409, `{"account":"other"}`, false},
		"GET /auth/keep":                            {303, 303, "", false},
		"POST /auth/keep":                           {303, 303, `{"flow":"` + flowID + `"}`, false},
		"POST /auth/keep/drop":                      {303, 303, `{"flow":"` + flowID + `"}`, false},
		"POST /auth/api/account/delete":             {401, 409, `{"account":"other"}`, false},
		"POST /auth/api/keep":                       {404, 404, `{"flow":"` + flowID + `"}`, false},
		"POST /auth/api/keep/drop":                  {200, 200, `{"flow":"` + flowID + `"}`, false},
		"GET /auth/account/addresses":               {303, 200, "", false},
		"POST /auth/account/addresses":              {303, 409, `{"account":"other","email":"x@x.test"}`, false},
		"GET /auth/account/sessions":                {303, 200, "", false},
		"POST /auth/account/sessions":               {303, 409, `{"account":"other"}`, false},
		"POST /auth/account/addresses/primary":      {303, 409, `{"account":"other","address":"x@x.test"}`, false},
		"POST /auth/account/addresses/recovery":     {303, 409, `{"account":"other","address":"x@x.test"}`, false},
		"POST /auth/account/addresses/remove":       {303, 409, `{"account":"other","address":"x@x.test"}`, false},
		"POST /auth/api/account/addresses":          {401, 409, `{"account":"other","email":"x@x.test"}`, false},
		"GET /auth/not-me":                          {410, 410, "", false},
		"POST /auth/not-me":                         {410, 410, `{"link":"x"}`, false},
		"POST /auth/api/not-me":                     {410, 410, `{"link":"x"}`, false},
		"GET /auth/account/profile":                 {303, 200, "", false},
		"POST /auth/account/profile":                {303, 409, `{"account":"other","name":"x"}`, false},
		"POST /auth/account/profile/picture":        {303, 400, "--x--", false},
		"POST /auth/account/profile/picture/remove": {303, 409, `{"account":"other"}`, false},
		"POST /auth/account/profile/undo":           {303, 303, `{"account":"other"}`, false},
		"GET /auth/picture/{id}":                    {404, 404, "", false},
		"GET /auth/account/{section}/{$}":           {308, 308, "", false},
		"POST /auth/signout":                        {303, 303, `{}`, false},
		"GET /auth/signout":                         {303, 303, "", false},
		"POST /auth/language":                       {303, 303, `{"locale":"de","to":"/auth/signin"}`, false},
		"GET /auth/signed-out":                      {200, 303, "", false},
		"GET /auth":                                 {308, 308, "", false},
		"GET /auth/{$}":                             {308, 308, "", false},
		"GET /auth/{screen}/{$}":                    {308, 308, "", false},
		"GET /auth/error":                           {404, 404, "", false},
		"GET /auth/assets/{file}":                   {404, 404, "", false},
		"GET /auth/brand/{file}":                    {404, 404, "", false},
		"POST /auth/api/signin":                     {401, 401, credentials, false},
		"POST /auth/api/signup":                     {422, 422, registration, false},
		"GET /auth/signin-code":                     {303, 303, "", false},
		"POST /auth/signin-code":                    {404, 404, `{"email":"no"}`, false},
		"POST /auth/api/signin-code":                {404, 404, `{"email":"no"}`, false},
		"POST /auth/api/forgot-password":            {422, 422, `{"email":"no"}`, false},
		"POST /auth/api/verify-code":                {404, 404, `{"flow":"` + flowID + `","code":"000000"}`, false},
		"POST /auth/api/resend":                     {404, 404, `{"flow":"` + flowID + `"}`, false},
		"POST /auth/api/confirm-link":               {422, 422, `{}`, false},
		"POST /auth/api/reset-password":             {404, 404, `{"flow":"` + flowID + `","password":"x","confirm_password":"x"}`, false},
		"POST /auth/api/signout":                    {200, 200, `{}`, false},
		"POST /auth/api/account/profile":            {401, 409, `{"account":"other","name":"x"}`, false},
		"POST /auth/api/account/password":           {401, 409, `{"account":"other","password":"x","confirm_password":"x"}`, false},
		"POST /auth/api/account/password/remove":    {401, 409, `{"account":"other"}`, false},
		"GET /auth/api/session":                     {401, 200, "", false},
		"GET /auth/api/sessions":                    {401, 200, "", false},
		"DELETE /auth/api/sessions":                 {401, 204, "", false},
		"DELETE /auth/api/sessions/{id}":            {401, 404, "", false},
		"GET /auth/api/flows/{id}":                  {404, 404, "", false},
		"GET /auth/api/openapi.json":                {200, 200, "", false},
		"POST /auth/api/csp-report":                 {204, 204, `{"csp-report":{"effective-directive":"img-src"}}`, true},
		"POST /auth/provider/{id}/start":            {303, 303, `{}`, false},
		"GET /auth/provider/{id}/callback":          {303, 303, "", false},
		"POST /auth/provider/{id}/callback":         {303, 303, "state=x&code=y", true},
		"GET /auth/account/factors":                 {303, 200, "", false},
		"POST /auth/account/factors":                {303, 303, `{"flow":"` + flowID + `","code":"000000"}`, false},
		"POST /auth/account/factors/add":            {303, 303, `{"account":"other"}`, false},
		"POST /auth/account/factors/codes":          {303, 303, `{"account":"other"}`, false},
		"POST /auth/account/factors/saved":          {303, 303, `{"flow":"` + flowID + `"}`, false},
		"POST /auth/account/factors/remove":         {303, 303, `{"account":"other","id":"` + flowID + `"}`, false},
		"GET /auth/account/passkeys":                {303, 200, "", false},
		"GET /auth/account/passkeys/offer":          {303, 200, "", false},
		"POST /auth/account/passkeys/offer":         {303, 303, `{"account":"other"}`, false},
		"POST /auth/api/account/passkeys/refuse":    {401, 409, `{"account":"other"}`, false},
		"GET /auth/signup-passkey":                  {303, 303, "", false},
		"POST /auth/api/signup/passkey/begin":       {404, 404, `{"flow":"` + flowID + `"}`, false},
		"POST /auth/api/signup/passkey":             {401, 401, `{"flow":"` + flowID + `","credential":"AA"}`, false},
		"POST /auth/account/passkeys/rename":        {303, 409, `{"account":"other","id":"` + flowID + `","name":"x"}`, false},
		"POST /auth/account/passkeys/remove":        {303, 409, `{"account":"other","id":"` + flowID + `"}`, false},
		"POST /auth/api/passkey/ask":                {200, 200, `{}`, false},
		"POST /auth/api/passkey":                    {401, 401, `{"credential":"AA"}`, false},
		"POST /auth/api/account/passkeys/begin":     {401, 409, `{"account":"other"}`, false},
		"POST /auth/api/account/passkeys":           {401, 409, `{"account":"other","credential":"AA"}`, false},
		"POST /auth/api/account/passkeys/rename":    {401, 409, `{"account":"other","id":"` + flowID + `","name":"x"}`, false},
		"POST /auth/api/account/passkeys/remove":    {401, 409, `{"account":"other","id":"` + flowID + `"}`, false},
		"GET /auth/mfa":                             {303, 303, "", false},
		"POST /auth/mfa":                            {303, 303, `{"flow":"` + flowID + `","code":"000000"}`, false},
		"POST /auth/mfa/restart":                    {303, 303, `{"flow":"` + flowID + `"}`, false},
		"POST /auth/api/mfa":                        {404, 404, `{"flow":"` + flowID + `","code":"000000"}`, false},
		"POST /auth/api/mfa/restart":                {200, 200, `{"flow":"` + flowID + `"}`, false},
		"GET /auth/terms":                           {303, 303, "", false},
		"POST /auth/terms":                          {303, 303, `{"flow":"` + flowID + `"}`, false},
		"POST /auth/terms/refuse":                   {303, 303, `{"flow":"` + flowID + `"}`, false},
		"POST /auth/api/terms":                      {404, 404, `{"flow":"` + flowID + `"}`, false},
		"POST /auth/api/terms/refuse":               {200, 200, `{"flow":"` + flowID + `"}`, false},
		"GET /auth/protect":                         {303, 303, "", false},
		"POST /auth/protect":                        {303, 303, `{"flow":"` + flowID + `"}`, false},
		"POST /auth/protect/later":                  {303, 303, `{"flow":"` + flowID + `"}`, false},
		"POST /auth/protect/restart":                {303, 303, `{"flow":"` + flowID + `"}`, false},
		"POST /auth/api/protect":                    {404, 404, `{"flow":"` + flowID + `","code":"000000"}`, false},
		"POST /auth/api/protect/later":              {404, 404, `{"flow":"` + flowID + `"}`, false},
		"POST /auth/api/protect/restart":            {200, 200, `{"flow":"` + flowID + `"}`, false},
		"POST /auth/api/protect/passkey/begin":      {404, 404, `{"flow":"` + flowID + `"}`, false},
		"POST /auth/api/protect/passkey":            {401, 401, `{"flow":"` + flowID + `","credential":"AA"}`, false},
		"POST /auth/api/factors/add":                {401, 409, `{"account":"other"}`, false},
		"POST /auth/api/factors/confirm":            {401, 404, `{"flow":"` + flowID + `","code":"000000"}`, false},
		"POST /auth/api/factors/codes":              {401, 409, `{"account":"other"}`, false},
		"POST /auth/api/factors/saved":              {401, 200, `{"flow":"` + flowID + `"}`, false},
		"GET /auth/admin":                           {303, 404, "", false},
		"/auth/admin":                               {303, 404, "", false},
		"GET /auth/admin/{place}":                   {303, 404, "", false},
		"/auth/admin/{place}":                       {303, 404, "", false},
		"GET /auth/admin/people/{id}":               {303, 404, "", false},
		"/auth/admin/people/{id}":                   {303, 404, "", false},
		"/auth/api/admin/{rest...}":                 {404, 404, "", false},
		"POST /auth/api/factors/remove":             {401, 409, `{"account":"other","id":"` + flowID + `"}`, false},
	}
	maps.Copy(table, openIDRoutes())
	for pattern, body := range adminOperations() {
		table[pattern] = route{401, 404, body, false}
	}
	return table
}

// path fills the wildcards of a pattern.
func path(pattern string) (method, target string) {
	method, target, ok := strings.Cut(pattern, " ")
	if !ok { // a pattern for any method
		method, target = "GET", pattern
	}
	return method, strings.NewReplacer("{$}", "", "{id}", flowID, "{file}", "missing.js", "{screen}", "signup", "{section}", "password", "{place}", "people", "{email}", flowID, "{rest...}", "nothing").Replace(target)
}

// contentType returns the type of the body in the table.
func (r route) contentType(pattern string) string {
	switch {
	case strings.HasSuffix(pattern, "csp-report"):
		return "application/csp-report"
	case strings.HasPrefix(r.body, "{"):
		return "application/json"
	case r.body != "":
		return "application/x-www-form-urlencoded"
	}
	return ""
}

// list is mounted like a handler. It serves nothing, and returns the patterns
// of all other handlers.
type list struct{ patterns func() []string }

func (l *list) Mount(m *server.Mux) { l.patterns = m.Patterns }

// call requests a route as one of our pages would.
func (v *visitor) call(pattern string, r route) *answer {
	v.Helper()
	method, target := path(pattern)
	h := v.ours(r.contentType(pattern))
	if r.body == "" {
		h.Del("Content-Type")
	}
	return v.do(method, target, r.body, h)
}

func TestSEC165_EveryRouteIsKnown(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	table := routes()
	s.visitor().get("/auth/signin").must(200) // the server is ready, so everything is mounted
	var mounted []string
	for _, pattern := range s.mounted.patterns() {
		if _, known := table[pattern]; !known {
			t.Errorf("%s is mounted and not in the table of routes: decide who may call it, and add it", pattern)
		}
		mounted = append(mounted, pattern)
	}
	for pattern, r := range table {
		if !slices.Contains(mounted, pattern) {
			t.Errorf("%s is in the table of routes and not mounted", pattern)
			continue
		}
		if a := s.visitor().call(pattern, r); a.status != r.anonymous {
			t.Errorf("%s gets status %d to nobody, want %d: %.200s", pattern, a.status, r.anonymous, a.body)
		}
	}
	v := s.visitor().register(fresh("v"))
	for pattern, r := range table {
		w := s.visitor()
		maps.Copy(w.cookies, v.cookies)
		if strings.Contains(pattern, "signout") {
			continue // it would end the session that the others need
		}
		if a := w.call(pattern, r); a.status != r.signedIn {
			t.Errorf("%s gets status %d to a person, want %d: %.200s", pattern, a.status, r.signedIn, a.body)
		}
	}
	for _, target := range []string{
		"/metrics", "/livez", "/readyz", "/healthz", "/debug/pprof/", "/debug/vars", "/openapi.json", "/.git/HEAD", "/.git/config", "/.env",
		"/auth/api/", "/auth/assets/", "/auth/assets/..%2fdocuments", "/auth/admin", "/auth/api/users", "/auth/api/admin",
		"/auth/assets/signin.js.map", "/auth/documents/en/signin.html", "/auth/documents/manifest.json", "/portico.toml", "/robots.txt", "/dev", "/auth/dev",
	} {
		if a := v.do("GET", target, "", nil); a.status != 404 && a.status != 400 {
			t.Errorf("%s gets status %d", target, a.status)
		}
	}
}

func TestSEC085_ReadingChangesNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	flow := v.signUp(fresh("n"), good)
	s.settle()
	s.unchanged("reading", func() {
		for pattern := range routes() {
			_, target := path(pattern) // the paths of writes too
			for _, method := range []string{"GET", "HEAD", "OPTIONS", "TRACE"} {
				for _, target := range []string{target, target + "?flow=" + flow + "&email=x@x.test&code=000000&return_to=/"} {
					v.do(method, target, "", http.Header{"Referer": {"https://evil.test/"}, "Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Dest": {"image"}})
				}
			}
		}
	})
	if v.whoami() == "" {
		t.Error("reading has signed out")
	}
}

func TestSEC084_WritesOfOtherOriginsAreRefused(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	s.settle()
	foreign := []http.Header{
		{"Origin": {"https://evil.test"}},
		{"Origin": {"https://sub.portico.test"}, "Sec-Fetch-Site": {"same-site"}},
		{"Origin": {"http://portico.test"}},
		{"Origin": {"https://portico.test:8443"}},
		{"Origin": {"https://portico.test.evil.test"}},
		{"Origin": {"https://portico.test/"}},
		{"Origin": {"HTTPS://PORTICO.TEST"}},
		{"Origin": {"null"}},
		{"Origin": {"null"}, "Sec-Fetch-Site": {"cross-site"}},
		{"Origin": {"null"}, "Sec-Fetch-Site": {"none"}},
		{"Origin": {""}},
		{"Origin": {s.origin, "https://evil.test"}},
		{"Origin": {"https://evil.test"}, "Sec-Fetch-Site": {"same-origin"}},
		{"Sec-Fetch-Site": {"cross-site"}},
		{"Sec-Fetch-Site": {"same-site"}},
		{"Sec-Fetch-Site": {"same-origin", "cross-site"}},
		{"Referer": {s.origin + "/auth/account"}},
		{},
	}
	types := []string{"", "application/json", "application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x", "application/json;charset=x"}
	s.unchanged("a write of another origin", func() {
		for pattern, r := range routes() {
			method, target := path(pattern)
			if method == "GET" || method == "OPTIONS" || r.crossSite {
				continue
			}
			for i, headers := range foreign {
				h := maps.Clone(headers)
				contentType := r.contentType(pattern)
				if full() || i < len(types) {
					contentType = types[i%len(types)]
				}
				h["Content-Type"] = []string{contentType}
				h["X-Http-Method-Override"] = []string{"GET"}
				if a := v.do(method, target, r.body, h); a.status != 403 {
					t.Errorf("%s with %v gets status %d", pattern, headers, a.status)
				} else if len(a.header["Set-Cookie"]) > 0 {
					t.Errorf("%s with %v sets %v", pattern, headers, a.header["Set-Cookie"])
				}
			}
		}
	})
	if v.whoami() == "" {
		t.Error("another origin has signed out")
	}
	// Routes that accept writes of other sites must change nothing by
	// themselves.
	s.unchanged("a cross-site form_post", func() {
		for pattern, r := range routes() {
			if method, target := path(pattern); r.crossSite {
				v.do(method, target, r.body, http.Header{"Origin": {"https://evil.test"}, "Content-Type": {r.contentType(pattern)}})
			}
		}
	})
}

// public reports whether a route has the same document for everybody, which pages
// of every origin may read.
func public(route string) bool {
	return strings.Contains(route, "/.well-known/") && !strings.Contains(route, "change-password")
}

// strictHeaders checks the security headers of an answer. Some headers act only
// on documents and are not sent with JSON.
func (a *answer) strictHeaders(what string, document bool) {
	a.Helper()
	policy := a.header.Get("Content-Security-Policy")
	parts := []string{"base-uri 'none'", "frame-ancestors 'none'", "default-src 'none'"}
	if document {
		parts = append(parts, "object-src 'none'", "form-action 'self';", "script-src 'self'", "require-trusted-types-for 'script'")
	}
	for _, part := range parts {
		if !strings.Contains(policy, part) {
			a.Errorf("%s: the content policy lacks %s: %s", what, part, policy)
		}
	}
	if strings.Contains(policy, "unsafe-") || strings.Contains(policy, "*") {
		a.Errorf("%s: the content policy allows too much: %s", what, policy)
	}
	required := map[string]string{
		"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin", "Strict-Transport-Security": "max-age=63072000",
	}
	if contentType := a.header.Get("Content-Type"); contentType != "application/json" && contentType != "application/problem+json" {
		required["Cross-Origin-Opener-Policy"], required["Permissions-Policy"], required["Referrer-Policy"] = "same-origin", "camera=()", ""
	}
	if public(what) && a.status < 400 {
		required["Cross-Origin-Resource-Policy"] = "cross-origin"
	}
	for name, want := range required {
		if got := a.header.Get(name); !strings.Contains(got, want) || got == "" {
			a.Errorf("%s: %s is %q", what, name, got)
		}
	}
	if contentType := a.header.Get("Content-Type"); strings.HasPrefix(contentType, "text/") && !strings.Contains(contentType, "charset=utf-8") {
		a.Errorf("%s: the content type is %q", what, contentType)
	} else if len(a.body) > 0 && contentType == "" {
		a.Errorf("%s: a body without a content type", what)
	}
	for _, name := range []string{"Server", "X-Powered-By", "Via", "X-Aspnet-Version", "X-Runtime"} {
		if got := a.header.Get(name); got != "" {
			a.Errorf("%s: the answer tells %s: %s", what, name, got)
		}
	}
}

func TestSEC089_EveryAnswerHasTheHeaders(t *testing.T) {
	announce(t)
	t.Parallel()
	s := startWhole(t)
	v := s.visitor().register(fresh("v"))
	seen := map[int]int{}
	check := func(stage string) {
		for pattern, r := range routes() {
			_, target := path(pattern)
			for _, method := range []string{"GET", "POST", "DELETE", "PUT", "OPTIONS"} {
				for _, accept := range []string{"text/html", "application/json"} {
					h := v.ours(r.contentType(pattern))
					h.Set("Accept", accept)
					a := s.with(v.cookie("session")).do(method, target, r.body, h)
					seen[a.status]++
					document := strings.HasPrefix(a.header.Get("Content-Type"), "text/html")
					a.strictHeaders(fmt.Sprintf("%s: %s %s as %s: %d", stage, method, target, accept, a.status), document)
				}
			}
			if pattern == "POST /auth/signout" || pattern == "DELETE /auth/api/sessions" {
				v = s.visitor().register(fresh("v"))
			}
		}
	}
	check("running")
	s.visitor().get(assetIn.FindString(s.visitor().get("/auth/signin").must(200).body)).must(200).strictHeaders("a script", false)
	for _, target := range []string{"/nowhere", "//", "/auth/assets/x", "/%00", "/auth/signin?" + strings.Repeat("a", 9000)} {
		for _, a := range s.raw("GET " + target + " HTTP/1.1\r\nHost: portico.test\r\nConnection: close\r\n\r\n") {
			seen[a.status]++
			a.strictHeaders(target, false)
		}
	}
	for _, status := range []int{200, 303, 400, 401, 404, 405, 414, 422} {
		if seen[status] == 0 {
			t.Errorf("no answer had the status %d", status)
		}
	}
	t.Logf("SEC-089: answers by status %v", seen)
}

// Nobody else gets these answers: what an admin reads, changes and downloads, the page, and the data of a user.
func TestSEC089_AnswersToAdmins(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	admin, _ := s.admin()
	target := s.operator(fresh("t"), good).ID
	files := 0
	judge := func(what string, a *answer) {
		a.strictHeaders(what, strings.HasPrefix(a.header.Get("Content-Type"), "text/html"))
		if got := a.header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: Cache-Control is %q", what, got)
		}
		saved := strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment")
		if kind := a.header.Get("Content-Type"); a.status == 200 && kind != "application/json" && !strings.HasPrefix(kind, "text/html") {
			if files++; !saved {
				t.Errorf("%s: a browser shows a file of the type %s", what, kind)
			}
		} else if saved && a.status >= 400 {
			t.Errorf("%s: a browser saves a refusal as a file", what)
		}
	}
	for pattern := range adminOperations() {
		s.must(s.app.Operator.SetUserState(t.Context(), flow.ByOperator, target, account.Active))
		judge(pattern, admin.calls(pattern, target).must(allowed(pattern)))
		s.jobsEnd()
	}
	judge("the page", admin.get("/auth/admin/people").must(200))
	bad := s.opens(admin.byHand, `{}`, "{\"email\":\"no address\"}\n").ID
	judge("the lines of a file", admin.get(importPath+"/"+bad+"/rejected").must(200))
	judge("the data of a user", admin.data(admin.id()).must(200))
	if files != 3 {
		t.Errorf("%d files were downloaded, want 3", files)
	}
}

func TestSEC089_AlsoWhenTheDatabaseIsGone(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	s.breakStore()
	failed := 0
	for pattern, r := range routes() {
		method, target := path(pattern)
		for _, accept := range []string{"text/html", "application/json"} {
			h := s.visitor().ours(r.contentType(pattern))
			h.Set("Accept", accept)
			a := s.with(strings.Repeat("A", 43)).do(method, strings.TrimSuffix(target, "/"), r.body, h)
			a.strictHeaders(fmt.Sprintf("%s as %s: %d", pattern, accept, a.status), strings.HasPrefix(a.header.Get("Content-Type"), "text/html"))
			if a.status >= 500 {
				failed++
			}
		}
	}
	if failed < 10 {
		t.Errorf("only %d answers were failures", failed)
	}
}

func TestSEC152_OtherMethodsAreRefused(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	for pattern := range routes() {
		_, target := path(pattern)
		for _, method := range []string{"PATCH", "PUT", "TRACE", "CONNECT", "OPTIONS", "PROPFIND", "get", "post", "FOO", "GET\x00"} {
			if _, answered := routes()[method+" "+target]; answered {
				continue
			}
			request := method + " " + target + " HTTP/1.1\r\nHost: portico.test\r\nOrigin: " + s.origin + "\r\nCookie: " + v.cookieLine() +
				"\r\nX-HTTP-Method-Override: GET\r\nX-HTTP-Method: GET\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
			for _, a := range s.raw(request) {
				if a.status != 405 && a.status != 501 && a.status != 400 && a.status != 404 {
					t.Errorf("%s %s gets status %d", method, target, a.status)
				}
				if a.status == 405 && a.header.Get("Allow") == "" {
					t.Errorf("%s %s is refused without Allow", method, target)
				}
			}
		}
		// HEAD is GET without a body.
		if method, _ := path(pattern); method == "GET" {
			get, head := s.visitor().do("GET", target, "", nil), s.visitor().do("HEAD", target, "", nil)
			if get.status != head.status || head.body != "" {
				t.Errorf("HEAD %s gets status %d %q, GET %d", target, head.status, head.body, get.status)
			}
		}
	}
}
