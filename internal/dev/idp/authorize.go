package idp

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// grant is what a code stands for.
type grant struct {
	person    person
	redirect  string
	challenge string
	nonce     string
	scopes    []string
	at        time.Time
}

// ask shows the page on which one says who one is (OpenID Connect Core 3.1.2).
func (p *provider) ask(w http.ResponseWriter, r *http.Request) {
	if p.checked(w, r, r.URL.RawQuery) {
		p.show(w, http.StatusOK, view{Request: r.URL.RawQuery, People: samples(), Verified: true})
	}
}

// decide sends the person back to the client. The page holds the request as it
// came, so it is checked as if it were new.
func (p *provider) decide(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, "the form cannot be read", http.StatusBadRequest)
		return
	}
	request := r.PostForm.Get("request")
	if !p.checked(w, r, request) {
		return
	}
	q, _ := url.ParseQuery(request)
	choice := r.PostForm.Get("choice")
	if choice == "cancel" {
		p.back(w, r, q, url.Values{"error": {"access_denied"}, "error_description": {"the person cancelled"}})
		return
	}
	who := typed(r.PostForm.Get("name"), r.PostForm.Get("email"), r.PostForm.Has("verified"))
	if i := slices.IndexFunc(samples(), func(s person) bool { return s.Subject == choice }); i >= 0 {
		who = samples()[i]
	}
	if who.Name == "" && who.Email == "" {
		p.show(w, http.StatusUnprocessableEntity, view{
			Request: request, People: samples(), Verified: r.PostForm.Has("verified"), Error: "Type a name or an email address.",
		})
		return
	}
	code := p.codes.put(grant{
		person: who, redirect: q.Get("redirect_uri"), challenge: q.Get("code_challenge"), nonce: q.Get("nonce"),
		scopes: strings.Fields(q.Get("scope")), at: p.config.Clock.Now(),
	})
	p.back(w, r, q, url.Values{"code": {code}})
}

// checked reports whether a request can be granted; if not, it has answered.
// Nothing is sent to an address that is not the client's (RFC 6749 4.1.2.1).
func (p *provider) checked(w http.ResponseWriter, r *http.Request, request string) bool {
	q, err := url.ParseQuery(request)
	if err != nil || !single(q) || q.Get("client_id") != p.config.ClientID || q.Get("redirect_uri") != p.config.RedirectURI {
		http.Error(w, "client_id and redirect_uri are not those of the registered client", http.StatusBadRequest)
		return false
	}
	code, text := "", ""
	switch {
	case q.Get("response_type") != "code":
		code, text = "unsupported_response_type", "use response_type=code"
	case q.Has("request") || q.Has("request_uri"):
		code, text = "request_not_supported", "send the parameters themselves"
	case q.Has("response_mode") && q.Get("response_mode") != "query":
		code, text = "invalid_request", "use response_mode=query"
	case !slices.Contains(strings.Fields(q.Get("scope")), "openid"):
		code, text = "invalid_scope", "ask for the scope openid"
	case q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43:
		code, text = "invalid_request", "use PKCE with the method S256"
	case q.Get("prompt") == "none":
		code, text = "login_required", "nobody stays signed in here"
	default:
		return true
	}
	p.back(w, r, q, url.Values{"error": {code}, "error_description": {text}})
	return false
}

// back sends the browser to the client, with the state and the issuer (RFC 9207).
func (p *provider) back(w http.ResponseWriter, r *http.Request, q, result url.Values) {
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

// single reports whether no parameter is sent twice (RFC 6749 3.1).
func single(q url.Values) bool {
	for _, values := range q {
		if len(values) != 1 {
			return false
		}
	}
	return true
}
