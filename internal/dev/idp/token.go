package idp

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4/jwt"

	"portico/internal/secret"
)

// token redeems a code (RFC 6749 4.1.3, RFC 7636 4.6).
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil || !single(r.PostForm) {
		refuse(w, http.StatusBadRequest, "invalid_request")
		return
	}
	form := r.PostForm
	switch {
	case !p.authenticated(r):
		w.Header().Set("WWW-Authenticate", `Basic realm="token"`)
		refuse(w, http.StatusUnauthorized, "invalid_client")
		return
	case form.Get("grant_type") != "authorization_code":
		refuse(w, http.StatusBadRequest, "unsupported_grant_type")
		return
	}
	// The code is used up even if the attempt fails, so that a verifier cannot
	// be guessed.
	g, ok := p.codes.take(form.Get("code"))
	digest := sha256.Sum256([]byte(form.Get("code_verifier")))
	proof := base64.RawURLEncoding.EncodeToString(digest[:])
	if !ok || form.Get("redirect_uri") != g.redirect || !equal(proof, g.challenge) {
		refuse(w, http.StatusBadRequest, "invalid_grant")
		return
	}
	access := p.persons.put(g.shared())
	idToken, err := p.idToken(g, access)
	if err != nil {
		refuse(w, http.StatusInternalServerError, "server_error")
		return
	}
	answer(w, http.StatusOK, map[string]any{
		"access_token": access, "token_type": "Bearer", "expires_in": int(tokenLife.Seconds()),
		"id_token": idToken, "scope": strings.Join(g.scopes, " "),
	})
}

// shared returns the parts of the person that the requested scopes cover.
func (g grant) shared() person {
	who := g.person
	if !slices.Contains(g.scopes, "email") {
		who.Email, who.Verified = "", false
	}
	if !slices.Contains(g.scopes, "profile") {
		who.Name = ""
	}
	return who
}

// idToken returns a signed ID token (OpenID Connect Core 2 and 3.1.3.6).
func (p *Provider) idToken(g grant, access string) (string, error) {
	now := p.config.Clock.Now()
	half := sha256.Sum256([]byte(access))
	claims := map[string]any{
		"iss": p.config.Issuer, "sub": g.person.Subject, "aud": p.config.ClientID,
		"iat": now.Unix(), "exp": now.Add(tokenLife).Unix(), "auth_time": g.at.Unix(),
		"at_hash": base64.RawURLEncoding.EncodeToString(half[:16]),
	}
	if g.nonce != "" {
		claims["nonce"] = g.nonce
	}
	return jwt.Signed(p.signer).Claims(claims).Serialize()
}

// authenticated reports whether the client's credentials are correct. It
// accepts either of the two methods of RFC 6749 2.3.1, but not both at once.
func (p *Provider) authenticated(r *http.Request) bool {
	id, password, inHeader := r.BasicAuth()
	if inHeader {
		var err1, err2 error
		id, err1 = url.QueryUnescape(id)
		password, err2 = url.QueryUnescape(password)
		if err1 != nil || err2 != nil || r.PostForm.Has("client_secret") {
			return false
		}
	} else {
		id, password = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	}
	return equal(id, p.config.ClientID) && equal(password, p.config.ClientSecret)
}

// userinfo returns the claims for an access token (OpenID Connect Core 5.3).
func (p *Provider) userinfo(w http.ResponseWriter, r *http.Request) {
	access, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	who, ok := p.persons.get(access)
	if !ok {
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
		refuse(w, http.StatusUnauthorized, "invalid_token")
		return
	}
	answer(w, http.StatusOK, who.claims())
}

func refuse(w http.ResponseWriter, status int, code string) {
	answer(w, status, map[string]string{"error": code})
}

func equal(a, b string) bool { return secret.Equal([]byte(a), []byte(b)) }
