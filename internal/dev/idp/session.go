package idp

import "net/http"

// cookieName is no name of Portico's: cookies do not keep to a port.
const cookieName = "example-id"

// signedIn returns the login that the browser keeps.
func (p *provider) signedIn(r *http.Request) (login, bool) {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return login{}, false
	}
	return p.kept.get(c.Value)
}

// keep lets the browser stay signed in.
func (p *provider) keep(w http.ResponseWriter, who login) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: p.kept.put(who), Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// signOut ends what keep began.
func (p *provider) signOut(w http.ResponseWriter, r *http.Request) {
	if c, err := r.Cookie(cookieName); err == nil {
		p.kept.take(c.Value)
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName, Path: "/", MaxAge: -1})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
