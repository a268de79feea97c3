package idp

import "net/http"

// cookieName differs from Portico's cookie names, because cookies are shared
// between ports.
const cookieName = "example-id"

// signedIn returns the login of the browser's session.
func (p *Provider) signedIn(r *http.Request) (login, bool) {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return login{}, false
	}
	return p.kept.get(c.Value)
}

// keep starts a session in the browser.
func (p *Provider) keep(w http.ResponseWriter, who login) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: p.kept.put(who), Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// signOut ends the session.
func (p *Provider) signOut(w http.ResponseWriter, r *http.Request) {
	if c, err := r.Cookie(cookieName); err == nil {
		p.kept.take(c.Value)
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName, Path: "/", MaxAge: -1})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
