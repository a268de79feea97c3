package config

import (
	"net/netip"
	"net/url"
	"slices"
	"time"
)

// keys returns all settings outside provider and [[app]] tables, in the order of
// the documentation.
//
// To add a setting, add its field in config.go, its default in Default and its line here,
// and pass it on in internal/app. TestDocument_IsUpToDate holds docs/operating/configuration.md, and
// TestKeys_HaveOneName the names of the environment.
func keys() []key {
	at := func(f func(*Config) *string) func(*Config) *string { return f }
	database := at(func(c *Config) *string { return &c.DatabaseURL })
	smtp := at(func(c *Config) *string { return &c.SMTPURL })
	header := at(func(c *Config) *string { return &c.Tracing.Header })
	upload := uploadKeys("upstream_", func(c *Config) *Uploads { return &c.UpstreamUploads })
	return []key{
		location("public_url", func(c *Config) **url.URL { return &c.PublicURL }, checkPublicURL,
			"The address that browsers use, such as `https://login.example.com`. Every link, cookie and redirect is made from it and from nothing that a request says. It is https; only a loopback host may be http. Mail that waits when it is changed is given up, since its links lead to the old address: change it when `portico_outbox_waiting` is 0. `portico serve` needs it."),
		text("listen", func(c *Config) *string { return &c.Listen }, checkListen,
			"Where the public listener waits for connections, as `host:port`. It speaks HTTP, and TLS ends at the proxy in front; with `tls.acme` or `tls.cert_file` it speaks HTTPS, and its default is `:443`."),
		text("ops_listen", func(c *Config) *string { return &c.OpsListen }, checkListen,
			"Where the operations listener waits: `/livez`, `/readyz` and `/metrics`. It asks for no password: keep it away from the public network."),
		text("database_url", database, checkDatabaseURL,
			"`sqlite:PATH`, or `postgres://user:password@host/name?sslmode=verify-full`. `/`, `@`, `#`, `?` and `%` of a password are written `%2F`, `%40`, `%23`, `%3F` and `%25`. For a PostgreSQL on another host, give the `sslmode`: without it a connection would silently continue without TLS. For more parameters of the URL see [PostgreSQL](postgresql.md).").secretly(database, redactURL),
		text("secret_file", func(c *Config) *string { return &c.SecretFile }, anything,
			"The file of the master key. With SQLite it is made on the first start; with PostgreSQL make it once and give it to every node. Keep a copy: without it the database cannot be read."),
		text("secret_next_file", func(c *Config) *string { return &c.SecretNext }, anything,
			"The file of a second master key, while the master key is being changed. `portico secret new` makes it, and `portico secret rotate` changes to its key; see [Changing the master key](master-key.md)."),
		location("upstream", func(c *Config) **url.URL { return &c.Upstream }, checkUpstream,
			"The app behind Portico, such as `http://127.0.0.1:3000`: it gets every path but `/auth/...`. For several apps see [[app]] below. Without an app, Portico serves only its own pages."),
		list("rules", func(c *Config) *[]string { return &c.Rules }, anything, sameText,
			"The rules for requests to the app at `upstream`. The first rule that matches decides. A request that no rule matches is refused. `public GET /static/*`, `role:admin+fresh:10m /admin/*`, `signed-in /*`. Without rules every signed-in user may pass. While `signup.mode` is `open`, `signed-in` is everybody who signs up. `portico rules explain` says which rule decides."),
		text("paths", func(c *Config) *string { return &c.Paths }, oneOf(StrictPaths, PathsAsSent), aboutPaths),
		list("headers", func(c *Config) *[]string { return &c.Headers }, anything, sameText,
			"Headers in which the app at `upstream` expects to be told who is there, beside `X-Portico-User` and so on: `Remote-User: email`. After the colon stands one of `id`, `email`, `name`, `roles`, `token`, `session_age`."),
		duration("upstream_timeout", func(c *Config) *time.Duration { return &c.UpstreamTimeout }, time.Second, time.Hour,
			"How long the app at `upstream` may take until its answer begins; then the person sees a page that says so. How long the answer itself takes is not limited."),
		duration("upstream_silence", func(c *Config) *time.Duration { return &c.UpstreamSilence }, 4*time.Second, time.Hour, aboutSilence),
		upload[0], upload[1], upload[2],
		text("on_user_change", func(c *Config) *string { return &c.OnUserChange }, oneOf(userChanges()...), aboutUserChange),
		list("keep_cookies", func(c *Config) *[]string { return &c.KeepCookies }, parseCookieName, sameText, aboutKeepCookies),
		text("sign_out_url", func(c *Config) *string { return &c.SignOutURL }, checkSignOutURL, aboutSignOutURL),
		list("trusted_proxies", func(c *Config) *[]netip.Prefix { return &c.TrustedProxies }, parsePrefix, netip.Prefix.String,
			"Networks of the proxies in front, such as `10.0.0.0/8`. Only from them does `X-Forwarded-For` name the client that limits count by, and only they may ask `/auth/api/check`."),
		text("smtp_url", smtp, anything,
			"The mail server: `smtp://user:password@host:587` (STARTTLS is required) or `smtps://user:password@host`. Characters of the password are written as in `database_url`. `?tls=none` is for a server on this machine. `portico serve` needs it.").secretly(smtp, redactURL),
		text("mail_from", func(c *Config) *string { return &c.MailFrom }, anything,
			"The sender of all emails: `no-reply@example.com` or `Example <no-reply@example.com>`. `portico serve` needs it."),
		text("mail_dkim_selector", func(c *Config) *string { return &c.DKIMSelector }, checkSelector,
			"The DKIM selector with which your mail server or provider signs, such as `s1`: the name before `._domainkey` in its DNS record. Only `portico doctor` uses it, to check that record."),
		text("mail_reply_to", func(c *Config) *string { return &c.MailReplyTo }, anything,
			"The address that gets the replies to emails: `help@example.com` or `Example <help@example.com>`. Without it, each email says that replies are not read."),
		list("return_origins", func(c *Config) *[]string { return &c.ReturnOrigins }, parseReturnOrigin, sameText,
			"Origins of your apps, to which people may return after signing in, such as `https://app.example.com`. `https://*.apps.example.com` stands for one label and not for `apps.example.com` itself."),
		text("return_default", func(c *Config) *string { return &c.ReturnDefault }, checkReturnDefault,
			"The page after signing in when the request names no other: a path here, or a URL of one of `return_origins`. Without it: the app behind Portico, or the account page."),
		text("locale", func(c *Config) *string { return &c.Locale }, checkLocale,
			"The language of emails and pages for people whose browser asks for none that is here."),
		text("texts", func(c *Config) *string { return &c.Texts }, checkFolder,
			"The folder with your own texts for pages and emails, one `<locale>.json` for each language that has some: [Texts](texts.md). Without this setting it is the folder `texts` beside the file of settings, if there is one."),
		text("places", func(c *Config) *string { return &c.Places }, checkEnding(".mmdb"),
			"A file with the places of networks, in the format MaxMind DB, with cities or countries. The page of the sessions then shows where each began, and a session keeps its network for that. `portico reload` reads the file again. See [Places of sessions](personal-data.md#places-of-sessions)."),
		toggle("hsts_subdomains", func(c *Config) *bool { return &c.HSTSSubdomains },
			"Whether browsers shall use https for all names below the public host as well (HSTS `includeSubDomains`). Turn it off while one of them still needs http."),
		text("profile", func(c *Config) *string { return &c.Profile }, oneOf("standard", profileNIST),
			"`nist` sets what NIST SP 800-63B-4 asks for at AAL2, and refuses settings that ask for less: a second factor for everyone, sessions of a day, passwords of 15 characters. See [NIST SP 800-63B-4](nist.md)."),
		toggle("passkeys", func(c *Config) *bool { return &c.Passkeys },
			"Whether people may add passkeys and sign in with them. Passkeys belong to the host of `public_url`. Passkeys of another host do not work, and an IP address has none."),
		list("passkey_origins", func(c *Config) *[]string { return &c.PasskeyOrigins }, parsePasskeyOrigin, sameText,
			"Origins of other sites that may use the passkeys of this one, such as `https://example.net`. Browsers read the list at `/.well-known/webauthn`. Each site here can ask people for these passkeys: list only your own."),
		toggle("openid.client_documents", func(c *Config) *bool { return &c.OpenID.ClientDocuments },
			"Whether apps that you do not know may sign people in: an app names itself by an https address, and publishes there what it is (Client ID Metadata Document). People see the host of the address and are asked each time. MCP clients do so: see [Unknown apps](../integrating/openid.md#unknown-apps)."),
		toggle("openid.registration", func(c *Config) *bool { return &c.OpenID.Registration },
			"Whether apps may register themselves (OpenID Connect Dynamic Client Registration, RFC 7591 and 7592), with a token that `portico client token new` prints. People see the host of the app and are asked each time. See [Clients that register themselves](clients.md#clients-that-register-themselves)."),
		list("openid.client_origins", func(c *Config) *[]string { return &c.OpenID.ClientOrigins }, parseClientOrigin, sameText,
			"The only origins from which Portico loads what unknown apps publish: documents for `openid.client_documents`, such as `https://claude.ai`, and the keys of these and of registered apps. They may be in a private network, and then http. Without this setting, every public https origin counts."),
		toggle("mfa.trust", func(c *Config) *bool { return &c.MFA.Trust },
			"Whether people may trust a browser for 30 days, so that a sign-in there asks for no second factor. Such a sign-in counts as one proof: the rule `mfa` and changes of the account ask all the same. When it is turned off, trust that was given counts no more."),
		list("mfa.require", func(c *Config) *[]string { return &c.MFA.Require }, parseRequire, sameText,
			"The users who need a second factor: `[\"role:admin\"]` for the users with one of these roles, `[\"all\"]` for everyone. A user without an authenticator app or a passkey adds one at the next sign-in. A user who has only a passkey is asked for it after a password too. Sessions that are open go on. See [Accounts](accounts.md#a-second-factor-for-everyone)."),
		duration("mfa.grace", func(c *Config) *time.Duration { return &c.MFA.Grace }, 0, 365*day,
			"How long such a user may put it off, from the first sign-in that asked: `0s` for not at all. The page says until when."),
		text("brand.name", func(c *Config) *string { return &c.Brand.Name }, checkBrandName,
			"The name on pages and in emails."),
		text("brand.colour", func(c *Config) *string { return &c.Brand.Colour }, checkColour,
			"The color of links, of the focus ring and of the main button: `\"#0b6e42\"`. Text in it must have a contrast of 4.5:1 on the page. A color that has less is refused, with the nearest one that passes. In the dark scheme Portico makes it lighter until it can be read. The default is the blue `#1a4ab8`."),
		list("brand.gradient", func(c *Config) *[]string { return &c.Brand.Gradient }, checkColour, sameText,
			"The first and the last color of the gradient on the main button and the word logo: `[\"#2f8f5b\", \"#0b6e42\"]`. The label is white, or dark if white cannot be read; it must have 3:1 on every part. Give the same color twice for a plain button. Without this setting the gradient goes from a lighter tone of `brand.colour` to that color."),
		number("brand.radius", func(c *Config) *int { return &c.Brand.Radius }, 0, 24,
			"How round the corners of buttons and fields are, in pixels. The card follows."),
		text("brand.scheme", func(c *Config) *string { return &c.Brand.Scheme }, oneOf("light", "dark", "auto"),
			"The color scheme of the pages. `auto` follows the visitor's system. Emails always follow the reader's mail program."),
		text("brand.logo", func(c *Config) *string { return &c.Brand.Logo }, checkFile(".png", ".webp", ".svg"),
			"A PNG, WebP or SVG file of at most 256 KiB that replaces the word logo. It is shown 32 pixels high. An SVG that runs or loads something is refused."),
		text("brand.logo_dark", func(c *Config) *string { return &c.Brand.LogoDark }, checkFile(".png", ".webp", ".svg"),
			"The logo for dark ground, in the schemes `dark` and `auto`. Without it `brand.logo` is shown there too."),
		text("brand.favicon", func(c *Config) *string { return &c.Brand.Favicon }, checkFile(".png", ".svg"),
			"A square PNG or SVG file of at most 64 KiB for the browser's tab. Without it the icon is Portico's, in the colors of the gradient."),
		text("brand.font", func(c *Config) *string { return &c.Brand.Font }, checkFile(".woff2"),
			"A WOFF2 file of at most 512 KiB for all text of the pages. A variable font has all weights in one file; of another font browsers draw the bold text themselves. Until it is loaded, a system font of the same width is shown, so that nothing moves. It needs the Latin letters."),
		text("legal.imprint", func(c *Config) *string { return &c.Legal.Imprint }, checkLegal,
			"The page that says who runs this site, such as `https://example.com/imprint`. Every page and every email links to it."),
		text("legal.privacy", func(c *Config) *string { return &c.Legal.Privacy }, checkLegal,
			"The page that says what happens with personal data. Every page and every email links to it."),
		text("legal.terms", func(c *Config) *string { return &c.Legal.Terms }, checkLegal,
			"The page with the terms of use. Every page and every email links to it, and people accept the terms before they get in: see [Terms of use](brand.md#terms-of-use)."),
		text("legal.terms_version", func(c *Config) *string { return &c.Legal.TermsVersion }, checkTermsVersion,
			"The version of the terms, such as `2026-01`. When it changes, everyone accepts the terms again at the next sign-in."),
		toggle("signin.code", func(c *Config) *bool { return &c.SignIn.Code },
			"Whether people may sign in by an emailed code in place of a password. It is one proof: a second factor of the account is asked for afterwards."),
		stated(text("signup.mode", func(c *Config) *string { return &c.SignUp.Mode }, oneOf("open", "closed"),
			"Whether visitors may sign up. `open`: everybody who has an email address may, by the form or with a provider. `closed`: no visitor may, and you create the accounts; a provider signs in to those alone. While it is `open`, the rule `signed-in` and a client without rules let strangers in, and `portico config check` names them. See [Who may sign up](accounts.md#who-may-sign-up).")),
		text("signup.name", func(c *Config) *string { return &c.SignUp.Name }, oneOf("off", "optional", "required"),
			"Whether the sign-up form asks for a name. Apps get it in `X-Portico-Name`, in the token and from the session API. Someone who signs up with a provider keeps the name that the provider gives."),
		text("password.profile", func(c *Config) *string { return &c.Password.Profile }, oneOf("standard", "nist"),
			"`standard` asks for 8 characters or more, `nist` for 15 (NIST SP 800-63B-4, for a password that is the only factor). Both refuse passwords that are known from breaches or easy to guess."),
		number("password.min", func(c *Config) *int { return &c.Password.Min }, 0, 64,
			"The shortest password that may be chosen, in characters, 8 or more; 0 leaves it to the profile."),
		text("password.hash", func(c *Config) *string { return &c.Password.Hash }, oneOf("fixed", "auto"),
			"The way to choose the cost of a password hash. `fixed`: `hashing.memory_mib` and `hashing.passes`. `auto`: `portico serve` measures the machine when it starts. It takes the strongest cost that keeps a hash under 250 ms at `password.signins_per_second`, never less than `fixed`. See [Hashing](hashing.md)."),
		number("password.signins_per_second", func(c *Config) *int { return &c.Password.SignInsPerSecond }, 1, 10_000,
			"Sign-ins and registrations that one node must bear each second at the busiest time, for `password.hash = \"auto\"`."),
		number("hashing.memory_mib", func(c *Config) *int { return &c.Hashing.MemoryMiB }, 19, 256,
			"Memory of one password hash (Argon2id), in MiB. Hashing takes this times `hashing.slots`, and gives it back a minute after the last sign-in."),
		number("hashing.passes", func(c *Config) *int { return &c.Hashing.Passes }, 2, 32,
			"Passes over that memory for one hash."),
		number("hashing.slots", func(c *Config) *int { return &c.Hashing.Slots }, 0, 1024,
			"Hashes that are computed at a time; 0 means one for each core."),
		number("hashing.queue", func(c *Config) *int { return &c.Hashing.Queue }, 0, 100_000,
			"Hashes that may wait for a slot before sign-ins are answered with 503; 0 means 100 for each slot."),
		duration("session.idle", func(c *Config) *time.Duration { return &c.Session.Idle }, 5*time.Minute, 365*day,
			"How long a browser stays signed in without use."),
		duration("session.absolute", func(c *Config) *time.Duration { return &c.Session.Absolute }, 5*time.Minute, 365*day,
			"How long a browser stays signed in at most. NIST SP 800-63B-4 advises 30 days or less."),
		text("log.level", func(c *Config) *string { return &c.Log.Level }, oneOf("debug", "info", "warn", "error"),
			"The least severe lines that are written."),
		text("log.format", func(c *Config) *string { return &c.Log.Format }, oneOf("json", "text"),
			"`json` for collectors, `text` for eyes."),
		location("tracing.endpoint", func(c *Config) **url.URL { return &c.Tracing.Endpoint }, checkCollector,
			"The collector that gets traces (OpenTelemetry, OTLP over HTTP in protobuf), such as `http://127.0.0.1:4318`. Without a path they go to `/v1/traces`. When it is not set, nothing is traced."),
		text("tracing.header", header, checkHeader,
			"A header that the collector asks for, as `Name: value`.").secretly(header, redactHeader),
		fraction("tracing.sample_ratio", func(c *Config) *float64 { return &c.Tracing.SampleRatio },
			"The part of the traces that are recorded, from 0 to 1. A trace that a proxy of `trusted_proxies` has begun is recorded when the proxy says so."),
		text("tls.cert_file", func(c *Config) *string { return &c.TLS.CertFile }, anything,
			"A certificate with its chain, in PEM: Portico then ends TLS itself, and no proxy is needed. The file is read again when it changes. See [Serving](serving.md#tls-without-a-proxy)."),
		text("tls.key_file", func(c *Config) *string { return &c.TLS.KeyFile }, anything,
			"The key of that certificate, in PEM."),
		text("tls.ca_file", func(c *Config) *string { return &c.TLS.CAFile }, checkAuthorities,
			"A file with certificates of authorities in PEM, which Portico trusts besides the system's: for apps by https, providers, the mail server, and every other server that it calls by TLS. For your own authority. See [Calls to other servers](calls.md)."),
		toggle("tls.acme", func(c *Config) *bool { return &c.TLS.ACME },
			"Whether Portico ends TLS with certificates that it gets and renews itself, for the hosts of `public_url` and of apps and no other name. With it you accept the terms of the authority. For SQLite; nodes on PostgreSQL take `tls.cert_file` or a proxy."),
		location("tls.acme_directory", func(c *Config) **url.URL { return &c.TLS.Directory }, checkDirectory,
			"The ACME directory of the authority."),
		text("tls.acme_email", func(c *Config) *string { return &c.TLS.Email }, anything,
			"Where the authority may write to you."),
		text("tls.http_listen", func(c *Config) *string { return &c.TLS.HTTPListen }, checkHTTPListen,
			"When Portico ends TLS: where it listens for http, to redirect to https and to answer the authority. `off` for nowhere."),
	}
}

// providerKeys returns the settings of one provider.
func providerKeys(id string) []key {
	of := func(field func(*Provider) *string) func(*Config) *string {
		return func(c *Config) *string { return field(c.provider(id)) }
	}
	prefix := "providers." + id + "."
	clientSecret := of(func(p *Provider) *string { return &p.ClientSecret })
	privateKey := of(func(p *Provider) *string { return &p.PrivateKey })
	return []key{
		text(prefix+"client_id", of(func(p *Provider) *string { return &p.ClientID }), anything,
			"The id under which Portico is registered with the provider."),
		text(prefix+"client_secret", clientSecret, anything,
			"The secret of that registration.").secretly(clientSecret, hide),
		text(prefix+"team_id", of(func(p *Provider) *string { return &p.TeamID }), anything,
			"Of Apple: the id of your team. With `key_id` and `private_key` in place of a client secret, Portico signs its own."),
		text(prefix+"key_id", of(func(p *Provider) *string { return &p.KeyID }), anything,
			"Of Apple: the id of your key for Sign in with Apple."),
		text(prefix+"private_key", privateKey, anything,
			"Of Apple: that key, the text of the `.p8` file.").secretly(privateKey, hide).onLines(),
		text(prefix+"preset", of(func(p *Provider) *string { return &p.Preset }), oneOf(presets()...),
			"The known properties of the provider. The default is the preset with the same name as the id, else `openid`, which has none and needs the issuer. [Providers](../integrating/providers.md) says how each is set up."),
		text(prefix+"issuer", of(func(p *Provider) *string { return &p.Issuer }), checkIssuer,
			"The issuer of the provider, as its discovery document states it. Presets know it, except the issuer of a company's own tenant or server."),
		text(prefix+"name", of(func(p *Provider) *string { return &p.Name }), anything,
			"The name on the button: \"Continue with ...\"."),
		text(prefix+"icon", of(func(p *Provider) *string { return &p.Icon }), checkFile(".png", ".svg"),
			"A square PNG or SVG file of at most 64 KiB for the button, in place of the preset's icon. An SVG that runs or loads something is refused."),
		list(prefix+"mfa_amr", func(c *Config) *[]string { return &c.provider(id).MFAAMR }, parseClaim, sameText,
			"Values of the claim `amr`, such as `[\"mfa\", \"hwk\"]`, one of which in a checked ID token counts as a second factor. Without this setting none does. The token must tell when its user signed in (`auth_time`). See [Providers](../integrating/providers.md#second-factors)."),
		list(prefix+"mfa_acr", func(c *Config) *[]string { return &c.provider(id).MFAACR }, parseClaim, sameText,
			"As `mfa_amr`, for the claim `acr`."),
		list(prefix+"audiences", func(c *Config) *[]string { return &c.provider(id).Audiences }, parseClaim, sameText,
			"Other audiences (`aud`) that the ID tokens of the provider may have beside `client_id`, such as `[\"my-project\"]`. The token must then name `client_id` as `azp`. Without this setting, a token with another audience is refused."),
		toggle(prefix+"trust_email", func(c *Config) *bool { return &c.provider(id).TrustEmail },
			"Whether an address that this provider calls verified counts as proven, so that it is not confirmed once more by mail. Only for a provider that proves addresses itself. When it is not set, the preset decides: yes for the own service of Google, Apple, GitHub, GitLab, Discord and LinkedIn, no for every other provider."),
	}
}

// presets returns the names of known providers, and openid for any other. It
// and trusted must match federation.Presets.
func presets() []string {
	return []string{
		"google", "microsoft", "apple", "github", "gitlab", "discord", "facebook", "linkedin", "twitch", "bitbucket", "spotify", "slack", "salesforce",
		"okta", "auth0", "keycloak", "authentik", "authelia", "pocketid", "ory", "gitea", "forgejo", "cognito", "openid",
	}
}

// trusted reports whether the preset's own service proves the addresses that it
// calls verified.
func trusted(preset string) bool {
	return slices.Contains([]string{"google", "apple", "github", "gitlab", "discord", "linkedin"}, preset)
}
