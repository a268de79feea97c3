package idp

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// grant is what an authorization code stands for.
type grant struct {
	login
	redirect  string
	challenge string
	nonce     string
	scopes    []string
}

// login is a person and the time of the sign-in.
type login struct {
	person person
	at     time.Time
}

// ask shows the sign-in page (OpenID Connect Core 3.1.2), or carries out the plan of the browser. If the browser is
// still signed in and the client does not ask for a new sign-in, it redirects
// at once.
func (p *Provider) ask(w http.ResponseWriter, r *http.Request) {
	if !p.checked(w, r, r.URL.RawQuery) {
		return
	}
	q := r.URL.Query()
	if p.planned(w, r, q) {
		return
	}
	kept, known := p.signedIn(r)
	switch {
	case known && p.enough(q, kept):
		p.grant(w, r, q, kept)
	case q.Get("prompt") == "none":
		p.back(w, r, q, loginRequired())
	default:
		p.show(w, http.StatusOK, view{Request: r.URL.RawQuery, People: samples(), Verified: true})
	}
}

func loginRequired() url.Values {
	return url.Values{"error": {"login_required"}, "error_description": {"nobody is signed in here"}}
}

func cancelled() url.Values {
	return url.Values{"error": {"access_denied"}, "error_description": {"the person cancelled"}}
}

// enough reports whether an earlier login satisfies the request (OpenID Connect
// Core 3.1.2.1, prompt and max_age).
func (p *Provider) enough(q url.Values, kept login) bool {
	for _, prompt := range strings.Fields(q.Get("prompt")) {
		if prompt != "none" {
			return false
		}
	}
	if !q.Has("max_age") {
		return true
	}
	seconds, err := strconv.Atoi(q.Get("max_age"))
	return err == nil && p.config.Clock.Now().Sub(kept.at) < time.Duration(seconds)*time.Second
}

// decide handles the form of the sign-in page. The form returns the
// authorization request, so decide validates it again.
func (p *Provider) decide(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, "the form cannot be read", http.StatusBadRequest)
		return
	}
	request := r.PostForm.Get("request")
	if !p.checked(w, r, request) {
		return
	}
	q, _ := url.ParseQuery(request)
	if q.Get("prompt") == "none" {
		p.back(w, r, q, loginRequired())
		return
	}
	choice := r.PostForm.Get("choice")
	if choice == "cancel" {
		p.back(w, r, q, cancelled())
		return
	}
	who := typed(r.PostForm.Get("name"), r.PostForm.Get("email"), r.PostForm.Has("verified"))
	if r.PostForm.Has("other") {
		who.Subject += otherSubject
	}
	if i := slices.IndexFunc(samples(), func(s person) bool { return s.Subject == choice }); i >= 0 {
		who = samples()[i]
	}
	if who.Name == "" && who.Email == "" {
		p.show(w, http.StatusUnprocessableEntity, view{
			Request: request, People: samples(), Verified: r.PostForm.Has("verified"), Error: "Type a name or an email address.",
		})
		return
	}
	now := login{who, p.config.Clock.Now()}
	if r.PostForm.Has("stay") {
		p.keep(w, now)
	}
	p.grant(w, r, q, now)
}

// grant redirects to the client with a code.
func (p *Provider) grant(w http.ResponseWriter, r *http.Request, q url.Values, who login) {
	code := p.codes.put(grant{
		login: who, redirect: q.Get("redirect_uri"), challenge: q.Get("code_challenge"), nonce: q.Get("nonce"),
		scopes: strings.Fields(q.Get("scope")),
	})
	p.back(w, r, q, url.Values{"code": {code}})
}

// checked reports whether a request is valid. If it is not, checked has sent
// the response. It never redirects to an unregistered address (RFC 6749
// 4.1.2.1).
func (p *Provider) checked(w http.ResponseWriter, r *http.Request, request string) bool {
	q, err := url.ParseQuery(request)
	if err != nil || !single(q) || q.Get("client_id") != p.config.ClientID || q.Get("redirect_uri") != p.config.RedirectURI {
		p.wrong(w)
		return false
	}
	code, text := "", ""
	switch {
	case q.Get("response_type") != "code":
		code, text = "unsupported_response_type", "use response_type=code"
	case q.Has("request") || q.Has("request_uri"):
		code, text = "request_not_supported", "send the parameters in the request itself"
	case q.Has("response_mode") && q.Get("response_mode") != "query":
		code, text = "invalid_request", "use response_mode=query"
	case !slices.Contains(strings.Fields(q.Get("scope")), "openid"):
		code, text = "invalid_scope", "ask for the scope openid"
	case q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43:
		code, text = "invalid_request", "use PKCE with the method S256"
	default:
		return true
	}
	p.back(w, r, q, url.Values{"error": {code}, "error_description": {text}})
	return false
}

// back redirects to the client with the state and the issuer (RFC 9207).
func (p *Provider) back(w http.ResponseWriter, r *http.Request, q, result url.Values) {
	result.Set("iss", p.config.Issuer)
	if q.Has("state") {
		result.Set("state", q.Get("state"))
	}
	target := p.config.RedirectURI
	separator := "?"
	if strings.Contains(target, "?") {
		separator = "&"
	}
	w.Header().Set("Referrer-Policy", "no-referrer")
	http.Redirect(w, r, target+separator+result.Encode(), http.StatusSeeOther)
}

// single reports whether no parameter occurs twice (RFC 6749 3.1).
func single(q url.Values) bool {
	for _, values := range q {
		if len(values) != 1 {
			return false
		}
	}
	return true
}
