package cli

import (
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"portico/internal/origin"
	"portico/internal/pages"
	"portico/internal/secret"
)

// clientPreset is what an app needs as an OpenID client. In its texts, {url} is the address
// of the app and {issuer} the address of Portico. {id} and {secret} belong to the client.
type clientPreset struct {
	redirects []string
	extra     []string // settings of the client
	enter     []string // in the app
}

// clientPresets returns the presets, which follow the documentation of the apps. Each has a
// page in docs/integrating/apps, which repeats its lines, and a row in
// docs/integrating/apps.md, which says whether it was tried.
func clientPresets() map[string]clientPreset {
	return map[string]clientPreset{
		"argocd": {[]string{"{url}/auth/callback"}, []string{`id_token_claims = ["email", "groups"]`}, []string{
			"argocd-cm: url: {url}", "argocd-cm: oidc.config: name: Portico, issuer: {issuer}, clientID: {id}, clientSecret: {secret}", "argocd-cm: oidc.config: requestedScopes: [openid, profile, email, groups]",
			"argocd-cm: oidc.config: enablePKCEAuthentication: true",
		}},
		"authjs": {[]string{"{url}/api/auth/callback/portico", "{url}/auth/callback/portico"}, []string{`id_token_claims = ["all"]`}, []string{
			"AUTH_PORTICO_ISSUER={issuer}", "AUTH_PORTICO_ID={id}", "AUTH_PORTICO_SECRET={secret}",
		}},
		"cloudflare-access": {[]string{"{url}/cdn-cgi/access/callback"}, []string{`id_token_claims = ["email", "groups"]`, `id_token_alg = "RS256"`}, []string{
			"Login methods, OpenID Connect: App ID {id}, Client secret {secret}", "Auth URL {authorize}", "Token URL {token}", "Certificate URL {issuer}/.well-known/jwks.json", "Proof Key for Code Exchange: on",
		}},
		"dex": {[]string{"{url}/callback"}, []string{`id_token_claims = ["all"]`, `extra_claims = ["name=email"]`}, []string{
			"issuer: {issuer}", "clientID: {id}", "clientSecret: {secret}", "redirectURI: {url}/callback", "scopes: [openid, profile, email, groups]", "insecureEnableGroups: true",
		}},
		"forgejo": {[]string{"{url}/user/oauth2/portico/callback"}, nil, gitea()},
		"gitea":   {[]string{"{url}/user/oauth2/portico/callback"}, []string{"pkce = false", `post_logout_redirect_uris = ["{url}/"]`}, gitea()},
		"grafana": {[]string{"{url}/login/generic_oauth"}, []string{`id_token_claims = ["email", "groups"]`}, []string{
			"GF_SERVER_ROOT_URL={url}", "GF_AUTH_GENERIC_OAUTH_ENABLED=true", "GF_AUTH_GENERIC_OAUTH_CLIENT_ID={id}", "GF_AUTH_GENERIC_OAUTH_CLIENT_SECRET={secret}",
			"GF_AUTH_GENERIC_OAUTH_SCOPES=openid profile email groups", "GF_AUTH_GENERIC_OAUTH_USE_PKCE=true", "GF_AUTH_GENERIC_OAUTH_AUTH_URL={authorize}",
			"GF_AUTH_GENERIC_OAUTH_TOKEN_URL={token}", "GF_AUTH_GENERIC_OAUTH_API_URL={userinfo}",
		}},
		"immich": {[]string{"{url}/auth/login", "{url}/user-settings", "{url}/api/oauth/mobile-redirect"}, nil, []string{
			"Settings, OAuth: Issuer URL {issuer}/.well-known/openid-configuration", "Client ID {id}", "Client Secret {secret}", "Scope openid email profile", "Signing Algorithm ES256", "Mobile Redirect URI Override {url}/api/oauth/mobile-redirect",
		}},
		"jellyfin": {[]string{"{url}/sso/OID/redirect/portico"}, nil, []string{
			"Plugin SSO-Auth, provider portico: OpenID Endpoint {issuer}", "OpenID Client ID {id}", "OpenID Secret {secret}", "Role Claim groups, Request Additional Scopes groups",
		}},
		"jumbojett": {[]string{"{url}"}, []string{`id_token_alg = "RS256"`, `post_logout_redirect_uris = ["{url}"]`}, []string{
			"new OpenIDConnectClient('{issuer}', '{id}', '{secret}')", "setRedirectURL('{url}')", "setCodeChallengeMethod('S256')", "addScope(['openid', 'profile', 'email', 'groups'])",
		}},
		"kubernetes": {[]string{"http://127.0.0.1:8000"}, []string{"public = true", `id_token_claims = ["email", "groups"]`}, []string{
			"kube-apiserver: --oidc-issuer-url={issuer} --oidc-client-id={id} --oidc-signing-algs=ES256 --oidc-username-claim=email --oidc-groups-claim=groups",
			"kubectl oidc-login setup --oidc-issuer-url={issuer} --oidc-client-id={id} --oidc-redirect-url=http://127.0.0.1:8000 --oidc-extra-scope=email --oidc-extra-scope=groups",
		}},
		"lua-resty-openidc": {[]string{"{url}/redirect_uri"}, []string{`id_token_alg = "RS256"`, `id_token_claims = ["all"]`, `post_logout_redirect_uris = ["{url}/"]`}, []string{
			`discovery = "{issuer}/.well-known/openid-configuration"`, `client_id = "{id}"`, `client_secret = "{secret}"`, `redirect_uri = "{url}/redirect_uri"`, `scope = "openid profile email groups"`,
			"use_pkce = true", `post_logout_redirect_uri = "{url}/"`,
		}},
		"miniflux": {[]string{"{url}/oauth2/oidc/callback"}, nil, []string{
			"OAUTH2_PROVIDER=oidc", "OAUTH2_CLIENT_ID={id}", "OAUTH2_CLIENT_SECRET={secret}", "OAUTH2_REDIRECT_URL={url}/oauth2/oidc/callback", "OAUTH2_OIDC_DISCOVERY_ENDPOINT={issuer}", "OAUTH2_USER_CREATION=1",
		}},
		"nextcloud": {[]string{"{url}/apps/user_oidc/code"}, []string{
			`post_logout_redirect_uris = ["{url}/"]`, `backchannel_logout_uri = "{url}/index.php/apps/user_oidc/backchannel-logout/Portico"`,
		}, []string{
			"occ user_oidc:provider Portico --clientid={id} --clientsecret={secret} --discoveryuri={issuer}/.well-known/openid-configuration --scope=\"openid profile email groups\"",
		}},
		"oauth2-proxy": {[]string{"{url}/oauth2/callback"}, []string{`id_token_claims = ["email", "groups"]`, `post_logout_redirect_uris = ["{url}/oauth2/sign_in"]`}, []string{
			"OAUTH2_PROXY_PROVIDER=oidc", "OAUTH2_PROXY_OIDC_ISSUER_URL={issuer}", "OAUTH2_PROXY_CLIENT_ID={id}", "OAUTH2_PROXY_CLIENT_SECRET={secret}", "OAUTH2_PROXY_REDIRECT_URL={url}/oauth2/callback",
			"OAUTH2_PROXY_SCOPE=openid email profile groups", "OAUTH2_PROXY_CODE_CHALLENGE_METHOD=S256", "OAUTH2_PROXY_EMAIL_DOMAINS=*",
		}},
		"omniauth": {[]string{"{url}/auth/openid_connect/callback", "{url}/users/auth/openid_connect/callback"}, []string{"pkce = false"}, []string{
			"issuer: {issuer}", "discovery: true", "response_type: code", "scope: [openid, profile, email, groups]", "client_auth_method: basic",
			"client_options, identifier: {id}", "client_options, secret: {secret}", "client_options, redirect_uri: {url}/auth/openid_connect/callback",
		}},
		"portainer": {[]string{"{url}"}, []string{"pkce = false"}, []string{
			"Authentication, OAuth, Custom: Client ID {id}", "Client secret {secret}", "Authorization URL {authorize}", "Access token URL {token}", "Resource URL {userinfo}",
			"Redirect URL {url}", "Logout URL {logout}?client_id={id}", "User identifier preferred_username", "Scopes openid profile email",
		}},
		"proxmox": {[]string{"{url}"}, []string{`id_token_claims = ["preferred_username", "email", "groups"]`}, []string{
			"pveum realm add portico --type openid --issuer-url {issuer} --client-id {id} --client-key {secret} --username-claim email --autocreate 1",
		}},
		"tailscale": {[]string{"https://login.tailscale.com/a/oauth_response"}, []string{"pkce = false"}, []string{
			"Custom OIDC: issuer {issuer}", "Client ID {id}", "Client secret {secret}", "Your domain must answer WebFinger with the issuer {issuer}",
		}},
		"vault": {[]string{"{url}/ui/vault/auth/oidc/oidc/callback", "http://localhost:8250/oidc/callback"}, nil, []string{
			"vault auth enable oidc",
			"vault write auth/oidc/config oidc_discovery_url={issuer} oidc_client_id={id} oidc_client_secret={secret} default_role=default",
			"vault write auth/oidc/role/default user_claim=sub oidc_scopes=profile,email,groups groups_claim=groups allowed_redirect_uris={url}/ui/vault/auth/oidc/oidc/callback allowed_redirect_uris=http://localhost:8250/oidc/callback",
		}},
	}
}

func gitea() []string {
	return []string{"Authentication Sources, OAuth2, OpenID Connect: Authentication Name portico", "Client ID (Key) {id}", "Client Secret {secret}", "OpenID Connect Auto Discovery URL {issuer}/.well-known/openid-configuration", "Additional Scopes email profile groups"}
}

func presetNames() string { return strings.Join(slices.Sorted(maps.Keys(clientPresets())), ", ") }

// lines returns the settings of a client for the preset, a new secret, and what to
// enter in the app.
func (p clientPreset) lines(id, app string, public *url.URL) []string {
	issuer := "https://login.example.com"
	if public != nil {
		issuer = origin.Of(public)
	}
	return p.filled(id, app, issuer, secret.Token())
}

func (p clientPreset) filled(id, app, issuer, text string) []string {
	fill := strings.NewReplacer("{url}", app, "{issuer}", issuer, "{id}", id, "{secret}", text,
		"{authorize}", issuer+pages.Authorize, "{token}", issuer+pages.Token, "{userinfo}", issuer+pages.UserInfo, "{logout}", issuer+pages.EndSession)
	var redirects []string
	for _, r := range p.redirects {
		redirects = append(redirects, fmt.Sprintf("%q", fill.Replace(r)))
	}
	lines := []string{"[[client]]", fmt.Sprintf("id = %q", id)}
	if !slices.Contains(p.extra, "public = true") {
		lines = append(lines, fmt.Sprintf("secret_hash = %q", hex.EncodeToString(secret.Hash(text))))
	}
	lines = append(lines, "redirect_uris = ["+strings.Join(redirects, ", ")+"]")
	for _, e := range p.extra {
		lines = append(lines, fill.Replace(e))
	}
	lines = append(lines, "", "# In the app:")
	for _, e := range p.enter {
		lines = append(lines, "#   "+fill.Replace(e))
	}
	return lines
}
