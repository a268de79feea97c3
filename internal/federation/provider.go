package federation

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"portico/internal/clock"
	"portico/internal/document"
	"portico/internal/secret"
)

// provider is one configured provider.
type provider struct {
	Provider
	preset     preset
	named      string // the issuer in the settings
	clientID   string
	secret     func(now time.Time) (string, error)
	scopes     []string
	trustEmail bool
	strongAMR  []string
	strongACR  []string
	audiences  []string // other than clientID
	rolesClaim string
	roles      []RoleMapping
	redirect   string
	http       *http.Client
	clock      clock.Clock
	metadata   *document.Kept[metadata]
	keys       *document.Kept[[]signingKey]
}

// issues returns an issuer as identities of the provider have it, if it is the provider's.
func (p *provider) issues(issuer string) (exact string, ok bool) {
	named := strings.TrimSuffix(p.named, "/")
	switch issuer = strings.TrimSuffix(issuer, "/"); {
	case p.preset.fixed != nil:
		exact = p.preset.fixed(named).issuer
		return exact, issuer == named || issuer == exact
	case issuer == named:
		return p.named, true
	}
	return issuer, p.preset.tenants && tenantIssuer(named, issuer)
}

// attempt is the state between Begin and Finish.
type attempt struct {
	Provider string `json:"provider"`
	Issuer   string `json:"issuer"` // as in the settings (RFC 9700 4.4.2)
	State    string `json:"state"`
	Nonce    string `json:"nonce"`
	Verifier string `json:"verifier"` // RFC 7636
	Redirect string `json:"redirect"`
	AskedAt  int64  `json:"asked_at,omitempty"` // seconds since 1970: when a new proof was asked for; 0: it was not
}

// grant is the source of an identity: the attempt, the response through the browser,
// and the token that the provider returned for the code.
type grant struct {
	meta    metadata
	attempt attempt
	answer  answer
	token   *oauth2.Token
}

func (p *provider) begin(ctx context.Context, state string, again bool) (Begun, error) {
	if again && p.preset.tellsNoTime {
		return Begun{}, errNoProof
	}
	meta, err := p.metadata.Current(ctx)
	if err != nil {
		return Begun{}, err
	}
	a := attempt{
		Provider: p.ID,
		Issuer:   p.named,
		State:    state,
		Nonce:    secret.Token(),
		Verifier: oauth2.GenerateVerifier(),
		Redirect: p.redirect,
	}
	parameters := p.preset.parameters
	if again {
		a.AskedAt = p.clock.Now().Unix()
		parameters = p.askAgain(meta)
	}
	pending, err := json.Marshal(a)
	if err != nil {
		return Begun{}, err
	}
	var options []oauth2.AuthCodeOption
	if p.preset.fixed == nil {
		options = append(options, oauth2.SetAuthURLParam("nonce", a.Nonce))
	}
	if !p.preset.refusesPKCE {
		options = append(options, oauth2.S256ChallengeOption(a.Verifier))
	}
	for name, value := range parameters {
		options = append(options, oauth2.SetAuthURLParam(name, value))
	}
	return Begun{URL: p.oauth(meta, a, "").AuthCodeURL(state, options...), Pending: pending}, nil
}

func (p *provider) finish(ctx context.Context, pending []byte, callback url.Values) (Identity, error) {
	var a attempt
	if err := json.Unmarshal(pending, &a); err != nil {
		return Identity{}, fmt.Errorf("read the pending attempt: %w", err)
	}
	if a.Provider != p.ID || a.Issuer != p.named {
		return Identity{}, fmt.Errorf("the attempt began at provider %.32q, %.256q", a.Provider, a.Issuer)
	}
	ans, err := readAnswer(callback)
	if err != nil {
		return Identity{}, err
	}
	if subtle.ConstantTimeCompare([]byte(ans.state), []byte(a.State)) != 1 || a.State == "" {
		return Identity{}, errors.New("the state of the callback does not match the attempt")
	}
	meta, err := p.metadata.Current(ctx)
	if err != nil {
		return Identity{}, err
	}
	if err := ans.verdict(meta); err != nil {
		return Identity{}, err
	}
	token, err := p.exchange(ctx, meta, a, ans.code)
	if err != nil {
		return Identity{}, err
	}
	return p.preset.identify(ctx, p, grant{meta: meta, attempt: a, answer: ans, token: token})
}

// exchange redeems the code at the token endpoint (RFC 6749 4.1.3).
func (p *provider) exchange(ctx context.Context, meta metadata, a attempt, code string) (*oauth2.Token, error) {
	clientSecret, err := p.secret(p.clock.Now())
	if err != nil {
		return nil, fmt.Errorf("make the client secret: %w", err)
	}
	var options []oauth2.AuthCodeOption
	if !p.preset.refusesPKCE {
		options = append(options, oauth2.VerifierOption(a.Verifier))
	}
	ctx = context.WithValue(ctx, oauth2.HTTPClient, p.http) // the library takes it no other way
	token, err := p.oauth(meta, a, clientSecret).Exchange(ctx, code, options...)
	if err != nil {
		return nil, err
	}
	if token.Type() != "Bearer" {
		return nil, fmt.Errorf("the token type must be Bearer, not %.32q", token.TokenType)
	}
	return token, nil
}

// oauth returns the settings for the OAuth library. They always say how the secret is sent.
// Otherwise the library would post the code twice to find out.
func (p *provider) oauth(meta metadata, a attempt, clientSecret string) *oauth2.Config {
	style := oauth2.AuthStyleInHeader
	if p.preset.postsSecret || meta.secretInBody || clientSecret == "" {
		style = oauth2.AuthStyleInParams
	}
	return &oauth2.Config{
		ClientID:     p.clientID,
		ClientSecret: clientSecret,
		Endpoint:     oauth2.Endpoint{AuthURL: meta.authorize, TokenURL: meta.token, AuthStyle: style},
		RedirectURL:  a.Redirect,
		Scopes:       p.scopes,
	}
}
