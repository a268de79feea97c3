package security

import "strings"

// reachesNothing sends every request while a sign-in waits in a flow, at a step with pages
// and operations of its own. The app stands behind the gateway.
func (v *visitor) reachesNothing(flow, own string, behind *protectedApp) {
	v.Helper()
	for pattern, r := range routes() {
		if strings.Contains(pattern, "/auth/"+own) || strings.Contains(pattern, "/auth/api/"+own) || strings.Contains(pattern, "/auth/signin") {
			continue // the step itself, and the page that leads to it
		}
		method, target := path(pattern)
		body := strings.ReplaceAll(r.body, flowID, flow)
		h := v.ours(r.contentType(pattern))
		if body == "" {
			h.Del("Content-Type")
		}
		for _, target := range []string{target, strings.ReplaceAll(target, flowID, flow), target + "?flow=" + flow} {
			a := v.do(method, target, body, h)
			if r.signedIn != r.anonymous && a.status == r.signedIn || v.cookie("session") != "" {
				v.Errorf("%s %s gets status %d: %.200s", method, target, a.status, a.body)
			}
		}
	}
	h := v.ours("")
	h.Set("X-Forwarded-Method", "GET")
	h.Set("X-Forwarded-Uri", "/page")
	if a := v.do("GET", "/auth/api/check", "", h); a.status == 200 || a.header.Get("X-Portico-User") != "" {
		v.Errorf("forward-auth gets status %d", a.status)
	}
	if a := v.get("/page"); a.status != 303 || !strings.HasPrefix(a.header.Get("Location"), "/auth/signin") || len(behind.asked()) != 0 {
		v.Errorf("the gateway answers %d %s", a.status, a.header.Get("Location"))
	}
	if a := v.get("/auth/account"); a.status != 303 || !strings.HasPrefix(a.header.Get("Location"), "/auth/signin") {
		v.Errorf("the account answers %d %s", a.status, a.header.Get("Location"))
	}
	if a := v.authorize(codeRequest()); a.status != 303 || !strings.HasPrefix(a.header.Get("Location"), "/auth/signin") {
		v.Errorf("the OpenID provider answers %d %s", a.status, a.header.Get("Location"))
	}
	if a := v.authorize(codeRequest("prompt", "none")); !strings.Contains(a.header.Get("Location")+a.body, "login_required") {
		v.Errorf("without a page, the OpenID provider answers %d %s", a.status, a.header.Get("Location"))
	}
}
