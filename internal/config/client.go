package config

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"portico/internal/claim"
	"portico/internal/origin"
	"portico/internal/pages"
)

var clientForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Scopes that exist, and claims that an operator may leave out. They must match package
// openid, whose claim "picture" is not among them.
func openIDScopes() []string {
	return []string{"openid", "profile", "email", "groups", "offline_access"}
}

func openIDClaims() []string {
	return []string{"name", "preferred_username", "email", "email_verified", "groups"}
}

func clientKey(n int) string { return clientArray + "." + strconv.Itoa(n) }

// client returns the nth OpenID client. It appends clients with default settings
// until there are n.
func (c *Config) client(n int) *Client {
	for len(c.Clients) < n {
		c.Clients = append(c.Clients, Client{
			Scopes: []string{"openid", "profile", "email", "groups"}, IDTokenAlg: "ES256", AccessToken: "opaque", Subject: "portico", PKCE: true, Key: clientKey(len(c.Clients) + 1),
		})
	}
	return &c.Clients[n-1]
}

// clientKeys returns the settings of the nth OpenID client.
func clientKeys(n int) []key {
	of := func(field func(*Client) *string) func(*Config) *string {
		return func(c *Config) *string { return field(c.client(n)) }
	}
	prefix := clientKey(n) + "."
	secret := of(func(c *Client) *string { return &c.Secret })
	next := of(func(c *Client) *string { return &c.SecretNext })
	return []key{
		text(prefix+"id", of(func(c *Client) *string { return &c.ID }), checkClientID,
			"The `client_id`. It is also the audience of the client's ID tokens."),
		text(prefix+"secret", secret, anything,
			"The secret with which the client authenticates: at least 24 random characters, such as `openssl rand -hex 32` prints.").secretly(secret, hide),
		text(prefix+"secret_hash", of(func(c *Client) *string { return &c.SecretHash }), checkSecretHash,
			"The SHA-256 hash of the secret in hexadecimal, instead of `secret`, as `printf %s SECRET | sha256sum` prints it."),
		text(prefix+"secret_next", next, anything,
			"A second secret that is also accepted, while the app changes from one to the other.").secretly(next, hide),
		text(prefix+"secret_next_hash", of(func(c *Client) *string { return &c.NextHash }), checkSecretHash,
			"The SHA-256 hash of the second secret in hexadecimal, instead of `secret_next`."),
		clientJWKS(prefix+"jwks", of(func(c *Client) *string { return &c.Keys })),
		text(prefix+"jwks_uri", of(func(c *Client) *string { return &c.KeysURI }), called("write https://app.example.com/jwks.json"),
			"The address at which the client publishes these keys, instead of a secret. It may be in a private network and then use http. Portico loads the keys again after ten minutes, or when a signature matches none of the keys that it has."),
		toggle(prefix+"public", func(c *Config) *bool { return &c.client(n).Public },
			"Whether the client has no secret, because it runs [in a browser or on a user's device](../integrating/openid.md#apps-in-the-browser-and-on-devices). It then needs a code challenge (PKCE)."),
		list(prefix+"redirect_uris", func(c *Config) *[]string { return &c.client(n).RedirectURIs }, parseRedirectURI, sameText,
			"The addresses to which the browser may return with a code. A request must name one of them, in the same spelling. They must be https, but a loopback address may use http, and a public client a private scheme such as `com.example.app:/callback`. They must not be on the host of `public_url`, except below the path of an app."),
		list(prefix+"scopes", func(c *Config) *[]string { return &c.client(n).Scopes }, oneOf(openIDScopes()...), sameText,
			"The scopes that the client may request. Other scopes are left out of the grant. `offline_access` lets its refresh tokens outlive a sign-out in the same browser."),
		list(prefix+"id_token_claims", func(c *Config) *[]string { return &c.client(n).IDTokenClaims }, oneOf(append(openIDClaims(), "all")...), sameText,
			"Claims of the granted scopes that the ID token also contains, for apps that do not call UserInfo. `all` means all of them."),
		list(prefix+"extra_claims", func(c *Config) *[]string { return &c.client(n).ExtraClaims }, parseExtraClaim, sameText,
			"Claims under the names that the app expects. `upn=email` copies the claim `email` to `upn` wherever it appears. `quota=claim.quota` adds a part of the [claims of the account](accounts.md#claims), and `tenant='acme'` a fixed value, to every UserInfo response and every ID token. `name=email` gives the claim `name` to accounts without a name, for apps that need one."),
		text(prefix+"id_token_alg", of(func(c *Client) *string { return &c.IDTokenAlg }), oneOf("ES256", "RS256", "EdDSA"),
			"The algorithm that signs the client's ID tokens. `RS256` is for apps that support nothing else; signing costs sixteen times as much. `EdDSA` signs with Ed25519, for apps that require it."),
		toggle(prefix+"pkce", func(c *Config) *bool { return &c.client(n).PKCE },
			"Whether the client must send a code challenge (PKCE, `S256`). Turn it off only for an app that cannot."),
		toggle(prefix+"require_par", func(c *Config) *bool { return &c.client(n).RequirePAR },
			"Whether the client must push its requests (PAR, RFC 9126): it sends each request directly to Portico, and the browser carries only a reference. A client may do so without this setting."),
		toggle(prefix+"dpop", func(c *Config) *bool { return &c.client(n).DPoP },
			"Whether the client must prove on each request that it holds a key (DPoP, RFC 9449), which makes a stolen token useless. A client may do so without this setting."),
		list(prefix+"grants", func(c *Config) *[]string { return &c.client(n).Grants }, oneOf(grantCode, grantClient, grantDevice), sameText,
			"How the client may get tokens. `authorization_code` signs users in, with refresh tokens. `device_code` does so for a device without a browser: its user types a short code at `"+pages.Device+"` (RFC 8628). `client_credentials` issues tokens for the client itself, which must have a secret or a key. The default is `authorization_code`."),
		list(prefix+"client_scopes", func(c *Config) *[]string { return &c.client(n).OwnScopes }, parseScope, sameText,
			"The scopes of a token for the client itself, such as `reports:read`. Portico gives them no meaning."),
		list(prefix+"resources", func(c *Config) *[]string { return &c.client(n).Resources }, parseResource, sameText,
			"The servers for which the client may request access tokens with the parameter `resource` (RFC 8707), such as `https://api.example.com`. They become the audience of the token, which is then not valid for UserInfo."),
		text(prefix+"access_token", of(func(c *Client) *string { return &c.AccessToken }), oneOf("opaque", "jwt"),
			"The form of the client's access tokens. A server verifies `jwt` tokens by itself (RFC 9068), and accepts a revoked one until it expires, for at most ten minutes. For `opaque` tokens it asks Portico (introspection)."),
		list(prefix+"serves", func(c *Config) *[]string { return &c.client(n).Serves }, parseResource, sameText,
			"The resources for which this client is the server. It may introspect their access tokens (RFC 7662), whichever client holds them."),
		text(prefix+"name", of(func(c *Client) *string { return &c.Name }), anything,
			"The name of the app on pages and in emails. The default is its id."),
		text(prefix+"subject", of(func(c *Client) *string { return &c.Subject }), oneOf("portico", "imported"),
			"What the client calls a user (`sub`). With `imported`, a user who was [imported with `--keep-subject`](importing.md#ids) keeps the id of the former system, so the client recognizes its users. All others have the id of Portico."),
		toggle(prefix+"consent", func(c *Config) *bool { return &c.client(n).Consent },
			"Whether each user must agree before the client learns who the user is, and again when it requests more. Users can withdraw this at `"+pages.Apps+"`."),
		list(prefix+"rules", func(c *Config) *[]string { return &c.client(n).Rules }, anything, sameText,
			"Who may use the client, written like `rules` without methods and paths: `role:editor` or `role:admin+fresh:10m`. A user must satisfy at least one of them. Without rules, every user may use the client. While `signup.mode` is `open`, that is everybody who signs up."),
		list(prefix+"post_logout_redirect_uris", func(c *Config) *[]string { return &c.client(n).LogoutReturns }, parseRedirectURI, sameText,
			"The addresses to which the browser may return after the user has signed out. A request of the client must name one of them, in the same spelling."),
		text(prefix+"backchannel_logout_uri", of(func(c *Client) *string { return &c.LogoutURI }), called("write https://app.example.com/backchannel-logout"),
			"The address of the client that Portico calls when a session from which the client has tokens ends, for any reason (OpenID Connect Back-Channel Logout). It may be in a private network and then use http. Portico tries ten times, over about three hours."),
	}
}

var extraForm = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_.:/-]{0,127}) *= *([a-z_]+|'[^']{0,256}'|claim(\.[A-Za-z0-9_-]{1,64}){1,8})$`)

// parseExtraClaim accepts a claim under a name of the operator.
func parseExtraClaim(s string) (string, *mistake) {
	m := extraForm.FindStringSubmatch(s)
	if m == nil {
		return "", &mistake{quoted(s) + " is not a claim", "write name=claim, name=claim.PATH or name='text', such as upn=email, quota=claim.quota or tenant='acme'"}
	}
	s = m[1] + "=" + m[2]
	if m[3] != "" {
		return s, cmp.Or(noClaim(m[2]), reservedClaim(m[1], "picture"))
	}
	if slices.Contains(claim.Reserved(), m[1]) || slices.Contains(openIDClaims(), m[1]) && m[1] != "name" {
		return "", &mistake{"the claim " + m[1] + " already has a meaning", "choose another name"}
	}
	if m[2] == m[1] || m[2][0] != '\'' && !slices.Contains(openIDClaims(), m[2]) {
		return "", &mistake{"unknown claim " + m[2], OneFrom(m[2], openIDClaims()) + ", or text in single quotes"}
	}
	return s, nil
}

// reservedClaim returns the mistake of a name that already has a meaning in every token.
func reservedClaim(name string, more ...string) *mistake {
	if slices.Contains(slices.Concat(claim.Reserved(), openIDClaims(), more), name) {
		return &mistake{"the claim " + name + " already has a meaning", "choose another name"}
	}
	return nil
}

// parseAppClaim accepts a claim of the token for an app, which has all of Portico's own claims.
func parseAppClaim(s string) (string, *mistake) {
	m := extraForm.FindStringSubmatch(s)
	if m == nil || m[3] == "" && m[2][0] != '\'' {
		return "", &mistake{quoted(s) + " is not a claim of an account", "write name=claim.PATH or name='text', such as quota=claim.quota or tenant='acme'"}
	}
	return m[1] + "=" + m[2], cmp.Or(noClaim(m[2]), reservedClaim(m[1], "roles"))
}

// noClaim returns the mistake of a source that no account can have.
func noClaim(source string) *mistake {
	path, is := strings.CutPrefix(source, claim.Source)
	name, _, _ := strings.Cut(path, ".")
	if is && slices.Contains(claim.Reserved(), name) {
		return &mistake{"no account can have a claim " + name, "name one of the claims that you give to accounts"}
	}
	return nil
}

func checkClientID(s string) (string, *mistake) {
	if !clientForm.MatchString(s) {
		return "", &mistake{fmt.Sprintf("%q is not the id of a client", s), "write letters, digits, dots, - and _, such as miniflux"}
	}
	return s, nil
}

// clientJWKS is a setting with public keys.
func clientJWKS(name string, at func(*Config) *string) key {
	k := text(name, at, anything, "In place of the secret: the client's public keys as a JWK Set, for `private_key_jwt`. `jwks_file` names a file with it. Keys are for `ES256`, `PS256`, `RS256` or `EdDSA`.").onLines()
	k.set = func(c *Config, v value) mistakes {
		s, _ := v.raw.(string)
		var short bytes.Buffer
		if json.Compact(&short, []byte(s)) != nil {
			return only(&mistake{"the value is not a set of keys in JSON", `write {"keys": [...]} as a text, or the path of a file with it as jwks_file`})
		}
		*at(c) = short.String()
		return nil
	}
	return k
}

// called accepts an address that Portico itself calls. write tells what to write instead of another.
func called(write string) func(string) (string, *mistake) {
	return func(s string) (string, *mistake) {
		s = origin.ASCII(s)
		u, err := url.Parse(s)
		if err != nil || u.User != nil || strings.ContainsAny(s, "#\\ ") || u.Scheme != "https" && u.Scheme != "http" || origin.CheckCalled(origin.Of(u)) != nil {
			return "", &mistake{quoted(redactQuery(s)) + " is not an address to call", write}
		}
		return s, nil
	}
}

func checkSecretHash(s string) (string, *mistake) {
	if b, err := hex.DecodeString(s); err != nil || len(b) != 32 {
		return "", &mistake{"the value is not a SHA-256 hash", "write 64 hexadecimal digits, as printf %s SECRET | sha256sum prints them"}
	}
	return strings.ToLower(s), nil
}

// parseRedirectURI accepts what package origin accepts as an address to return to.
func parseRedirectURI(s string) (string, *mistake) {
	s = origin.ASCII(s)
	if err := origin.CheckReturn(s); err != nil {
		return "", &mistake{quoted(s) + " is not an address to return to: " + err.Error(), "write https://app.example.com/callback"}
	}
	return s, nil
}

// checkClients adds problems that involve several clients or several settings of
// one client.
func (c *Config) checkClients(add func(key, why, write string, others ...string)) {
	seen := map[string]bool{}
	audiences := map[string]string{}
	for _, a := range c.Served() {
		audiences[a.Audience] = a.Name
	}
	for _, client := range c.Clients {
		at := func(name string) string { return client.Key + "." + name }
		if client.ID == "" {
			add(at("id"), "the client has no id", `write one, such as id = "miniflux"`)
		}
		if seen[client.ID] && client.ID != "" {
			add(at("id"), "another client has the id "+client.ID, "give each client an id of its own")
		}
		if app, taken := audiences[client.ID]; taken && client.ID != "" {
			add(at("id"), "it is the audience of the app "+app+", and the client would accept the tokens of that app", "give the client another id, or the app another audience")
		}
		seen[client.ID] = true
		if len(client.RedirectURIs) == 0 && client.SignsIn() {
			add(at("redirect_uris"), "the client has no address to return to", `write it as the app states it, such as redirect_uris = ["https://app.example.com/callback"]`)
		}
		client.checkSecret(add)
		c.checkAddresses(client, add)
		client.checkGrants(audiences, add)
		if !slices.Contains(client.Scopes, "openid") && (client.SignsIn() || client.Device()) {
			add(at("scopes"), "the scope openid is missing", `write scopes = ["openid", "profile", "email"]`)
		}
	}
}

func (client Client) checkSecret(add func(key, why, write string, others ...string)) {
	at := func(name string) string { return client.Key + "." + name }
	secrets := 0
	for _, s := range []string{client.Secret, client.SecretHash, client.Keys, client.KeysURI} {
		if s != "" {
			secrets++
		}
	}
	second := client.SecretNext != "" || client.NextHash != ""
	switch {
	case second && client.Secret == "" && client.SecretHash == "":
		add(at("secret_next"), "there is a second secret without a first one", "write it as secret", at("secret"), at("secret_next_hash"))
	case client.SecretNext != "" && client.NextHash != "":
		add(at("secret_next_hash"), "the second secret is given twice", "keep one of them", at("secret_next"))
	case client.Public && secrets > 0:
		add(at("public"), "a public client has no secret", "remove the secret, or public", at("secret"), at("secret_hash"), at("jwks"), at("jwks_uri"))
	case !client.Public && secrets == 0:
		add(at("secret"), "the client has no secret", "write one, or secret_file, secret_hash, jwks or jwks_uri; or public = true for an app on a user's device", at("public"), at("secret_hash"), at("jwks"), at("jwks_uri"))
	case secrets > 1:
		add(at("id"), "the client has more than one secret or set of keys", "keep one of secret, secret_hash, jwks and jwks_uri", at("secret"), at("secret_hash"), at("jwks"), at("jwks_uri"))
	case client.Public && !client.PKCE:
		add(at("pkce"), "a public client needs a code challenge", "remove pkce = false", at("public"))
	}
	if client.Public {
		return
	}
	for i, uri := range client.RedirectURIs {
		if u, err := url.Parse(uri); err == nil && strings.Contains(u.Scheme, ".") {
			add(itemKey(at("redirect_uris"), i), uri+" has a private scheme, which only an app on a user's device may use", "write an https address, or public = true")
		}
	}
}
