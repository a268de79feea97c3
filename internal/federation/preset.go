package federation

import "context"

// preset is the built-in knowledge about a provider.
type preset struct {
	name, icon string

	// issuer is the provider's own issuer; "" means that the operator names it.
	// With otherIssuers the operator may name a tenant or an installation instead.
	issuer       string
	otherIssuers bool
	example      string // an issuer as the operator writes it; "": the issuer of any provider
	issuerAlias  string // a second spelling of issuer in ID tokens
	tenants      bool   // the discovery document may describe all tenants

	// fixed returns the endpoints of a provider without a discovery document.
	fixed func(issuer string) metadata

	scopes     []string
	parameters map[string]string // more for the authorization request
	identify   func(context.Context, *provider, grant) (Identity, error)
	names      []string // the members of a profile that can be a name, best first; "name" without a list

	// identityAt is the member with the subject; "": "id". Only with fixed.
	identityAt string

	// askAgain holds the parameters that make the provider ask its user for a new
	// proof; nil means the parameters of OpenID Connect. A provider with
	// tellsNoTime has none, and never tells when its user signed in.
	askAgain    map[string]string
	tellsNoTime bool

	refusesPKCE     bool
	omitsNonce      bool
	postsSecret     bool // client_secret_post, whatever the metadata says
	ignoresUserInfo bool
	postsName       bool
	signsSecret     bool // the client secret can be made from a key

	// trustEmail is whether an address of the preset's own issuer counts as
	// proven when the member verifiedFlag is true.
	trustEmail    bool
	verifiedFlag  string
	flagMayBeText bool // the string "true" counts as well
	vouches       func(email string, profile object) bool
}

// Presets returns the names of the presets, and whether the addresses of their own
// issuers count as proven.
func Presets() map[string]bool {
	trusts := map[string]bool{}
	for name, pre := range presets() {
		trusts[name] = pre.trustEmail
	}
	return trusts
}

// presets returns the table of known providers. "openid" is any other provider.
// docs/integrating/providers.md says how each is set up.
//
// CONTRIBUTING.md lists what changes with a new preset. TestPresetsOfTheConfiguration
// and TestPresets_AreInTheFrontEnd of internal/app hold most of it.
func presets() map[string]preset {
	return map[string]preset{
		"openid": {
			icon: "openid", otherIssuers: true, identify: openIDIdentity,
			scopes: openIDScopes(), verifiedFlag: "email_verified",
		},
		"google": {
			name: "Google", icon: "google", issuer: "https://accounts.google.com", issuerAlias: "accounts.google.com",
			identify: openIDIdentity, scopes: openIDScopes(), parameters: chooseAccount(),
			askAgain:   map[string]string{"claims": `{"id_token":{"auth_time":{"essential":true}}}`},
			trustEmail: true, verifiedFlag: "email_verified", vouches: googleVouches,
		},
		// The administrator of a work account can write any address, also into
		// UserInfo. xms_edov says whether the domain is proven.
		"microsoft": {
			name: "Microsoft", icon: "microsoft", issuer: "https://login.microsoftonline.com/common/v2.0",
			otherIssuers: true, tenants: true, identify: openIDIdentity, scopes: openIDScopes(), parameters: chooseAccount(),
			ignoresUserInfo: true, verifiedFlag: "xms_edov",
		},
		// Apple posts the callback when the request has a scope.
		"apple": {
			name: "Apple", icon: "apple", issuer: "https://appleid.apple.com", identify: openIDIdentity,
			scopes: []string{"openid", "email", "name"}, parameters: map[string]string{"response_mode": "form_post"},
			askAgain:  map[string]string{}, // it always asks, and always tells auth_time
			postsName: true, signsSecret: true, trustEmail: true, verifiedFlag: "email_verified", flagMayBeText: true,
		},
		"github": {
			name: "GitHub", icon: "github", issuer: "https://github.com", otherIssuers: true, fixed: githubEndpoints,
			identify: githubIdentity, postsSecret: true, names: []string{"name", "login"}, scopes: []string{"user:email"},
			tellsNoTime: true, trustEmail: true, verifiedFlag: "verified",
		},
		"gitlab": {
			name: "GitLab", icon: "gitlab", issuer: "https://gitlab.com", otherIssuers: true, identify: openIDIdentity,
			scopes: openIDScopes(), trustEmail: true, verifiedFlag: "email_verified",
		},
		"discord": {
			name: "Discord", icon: "discord", issuer: "https://discord.com", fixed: discordEndpoints,
			identify: profileIdentity, postsSecret: true, names: []string{"global_name", "username"}, scopes: []string{"identify", "email"},
			tellsNoTime: true, trustEmail: true, verifiedFlag: "verified",
		},
		// Facebook does not say whether an address is verified.
		"facebook": {
			name: "Facebook", icon: "facebook", issuer: "https://www.facebook.com", fixed: facebookEndpoints,
			identify: facebookIdentity, postsSecret: true, names: []string{"name"}, scopes: []string{"email", "public_profile"},
			tellsNoTime: true,
		},
		"linkedin": {
			name: "LinkedIn", icon: "linkedin", issuer: "https://www.linkedin.com/oauth", identify: openIDIdentity,
			scopes: openIDScopes(), refusesPKCE: true, omitsNonce: true, postsSecret: true,
			tellsNoTime: true, trustEmail: true, verifiedFlag: "email_verified", flagMayBeText: true,
		},
		// Twitch tells only the claims that the request names.
		"twitch": {
			name: "Twitch", icon: "twitch", issuer: "https://id.twitch.tv/oauth2", identify: openIDIdentity,
			scopes: []string{"openid", "user:read:email"}, postsSecret: true, tellsNoTime: true, verifiedFlag: "email_verified",
			parameters: map[string]string{"claims": `{"id_token":{"email":null,"email_verified":null,"preferred_username":null}}`},
			names:      []string{"preferred_username"},
		},
		"bitbucket": {
			name: "Bitbucket", icon: "bitbucket", issuer: "https://bitbucket.org", fixed: bitbucketEndpoints, identify: bitbucketIdentity,
			identityAt: "uuid", names: []string{"display_name", "nickname"}, scopes: []string{"account", "email"},
			tellsNoTime: true, verifiedFlag: "is_confirmed",
		},
		// Spotify itself says that its addresses are not verified.
		"spotify": {
			name: "Spotify", icon: "spotify", issuer: "https://accounts.spotify.com", fixed: spotifyEndpoints, identify: profileIdentity,
			names: []string{"display_name"}, scopes: []string{"user-read-email"}, tellsNoTime: true,
		},
		// Its auth_time is the time of the token. PKCE is a setting of each app, so Slack
		// can refuse a request with it.
		"slack": {
			name: "Slack", icon: "openid", issuer: "https://slack.com", identify: openIDIdentity, scopes: openIDScopes(),
			refusesPKCE: true, postsSecret: true, tellsNoTime: true, verifiedFlag: "email_verified",
		},
		"salesforce": {
			name: "Salesforce", icon: "openid", issuer: "https://login.salesforce.com", otherIssuers: true, identify: openIDIdentity,
			scopes: openIDScopes(), verifiedFlag: "email_verified",
		},
		"okta":      standard("Okta", "okta", "https://company.okta.com"),
		"auth0":     standard("Auth0", "auth0", "https://company.eu.auth0.com/"),
		"keycloak":  standard("Keycloak", "keycloak", "https://id.example.com/realms/company"),
		"authentik": standard("authentik", "authentik", "https://id.example.com/application/o/portico/"),
		"authelia":  standard("Authelia", "authelia", "https://id.example.com"),
		"pocketid":  standard("Pocket ID", "openid", "https://id.example.com"),
		"ory":       standard("Ory", "ory", "https://slug.projects.oryapis.com"),
		"gitea":     timeless(standard("Gitea", "gitea", "https://git.example.com")),
		"forgejo":   timeless(standard("Forgejo", "forgejo", "https://git.example.com")),
		"cognito":   cognito(),
	}
}

// standard is a provider that follows OpenID Connect, at the operator's own issuer.
func standard(name, icon, example string) preset {
	return preset{
		name: name, icon: icon, otherIssuers: true, example: example, identify: openIDIdentity,
		scopes: openIDScopes(), verifiedFlag: "email_verified",
	}
}

// timeless is a provider that does not tell when its user signed in.
func timeless(p preset) preset {
	p.tellsNoTime = true
	return p
}

// cognito is Amazon Cognito, whose UserInfo writes booleans as strings.
func cognito() preset {
	p := standard("Amazon Cognito", "openid", "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEf123")
	p.flagMayBeText = true
	return p
}

func openIDScopes() []string { return []string{"openid", "email", "profile"} }

// chooseAccount lets a user choose among several accounts at the provider.
func chooseAccount() map[string]string { return map[string]string{"prompt": "select_account"} }

// githubEndpoints serves github.com and GitHub Enterprise Server, whose API is
// on the same host.
func githubEndpoints(issuer string) metadata {
	api := issuer + "/api/v3"
	if issuer == "https://github.com" {
		api = "https://api.github.com"
	}
	login := issuer + "/login/oauth"
	return metadata{issuer: login, authorize: login + "/authorize", token: login + "/access_token", userinfo: api + "/user"}
}

func discordEndpoints(issuer string) metadata {
	return metadata{
		issuer: issuer, authorize: issuer + "/oauth2/authorize", token: issuer + "/api/oauth2/token",
		userinfo: issuer + "/api/v10/users/@me",
	}
}

func bitbucketEndpoints(issuer string) metadata {
	return metadata{
		issuer: issuer, authorize: issuer + "/site/oauth2/authorize", token: issuer + "/site/oauth2/access_token",
		userinfo: "https://api.bitbucket.org/2.0/user",
	}
}

func spotifyEndpoints(issuer string) metadata {
	return metadata{
		issuer: issuer, authorize: issuer + "/authorize", token: issuer + "/api/token",
		userinfo: "https://api.spotify.com/v1/me",
	}
}

func facebookEndpoints(issuer string) metadata {
	const graph = "https://graph.facebook.com/v25.0"
	return metadata{
		issuer: issuer, authorize: issuer + "/v25.0/dialog/oauth", token: graph + "/oauth/access_token",
		userinfo: graph + "/me?fields=id,name,email",
	}
}
