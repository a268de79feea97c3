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
// CONTRIBUTING.md says how to add a setting. TestDocument_IsUpToDate holds
// docs/operating/configuration.md, and TestKeys_HaveOneName the names of the environment.
func keys() []key {
	database := func(c *Config) *string { return &c.DatabaseURL }
	smtp := func(c *Config) *string { return &c.SMTPURL }
	header := func(c *Config) *string { return &c.Tracing.Header }
	return slices.Concat([]key{
		location("public_url", func(c *Config) **url.URL { return &c.PublicURL }, checkPublicURL,
			"The address that browsers use, such as `https://login.example.com`. Portico makes every link, cookie and redirect from it. It must be https; only a loopback host may use http. A change drops waiting emails, whose links lead to the old address: change it while `portico_outbox_waiting` is 0. `portico serve` requires it."),
		text("listen", func(c *Config) *string { return &c.Listen }, checkListen,
			"The address of the public listener, as `host:port`. It speaks HTTP, and the proxy in front terminates TLS. With `tls.acme` or `tls.cert_file` it speaks HTTPS, and its default is `:443`."),
		text("ops_listen", func(c *Config) *string { return &c.OpsListen }, checkListen,
			"The address of the operations listener, which serves `/livez`, `/readyz` and `/metrics`. It requires no password: keep it off the public network."),
		text("database_url", database, checkDatabaseURL,
			"`sqlite:PATH`, or `postgres://user:password@host/name?sslmode=verify-full`. In a password, write `/`, `@`, `#`, `?` and `%` as `%2F`, `%40`, `%23`, `%3F` and `%25`. For PostgreSQL on another host, set `sslmode`: without it, a connection could silently continue without TLS. [PostgreSQL](postgresql.md) has more parameters.").secretly(database, redactURL),
		text("secret_file", func(c *Config) *string { return &c.SecretFile }, anything,
			"The file of the master key. With SQLite, the first start creates it. With PostgreSQL, create it once and copy it to every node. Keep a backup: without it the database cannot be read."),
		text("secret_next_file", func(c *Config) *string { return &c.SecretNext }, anything,
			"The file of a second master key, while you change the master key. `portico secret new` creates it, and `portico secret rotate` switches to its key. See [Changing the master key](master-key.md)."),
	}, appKeys("", rootApp), []key{
		list("trusted_proxies", func(c *Config) *[]netip.Prefix { return &c.TrustedProxies }, parsePrefix, netip.Prefix.String,
			"The networks of the proxies in front, such as `10.0.0.0/8`. Only their `X-Forwarded-For` is trusted to name the client for rate limits, and only they may call `/auth/api/check`."),
		text("smtp_url", smtp, anything,
			"The mail server: `smtp://user:password@host:587` (STARTTLS is required) or `smtps://user:password@host`. Escape the password as in `database_url`. `?tls=none` is for a server on this machine. `portico serve` requires it.").secretly(smtp, redactURL),
		text("mail_from", func(c *Config) *string { return &c.MailFrom }, anything,
			"The sender of all emails: `no-reply@example.com` or `Example <no-reply@example.com>`. An address alone gets the name in `brand.name`. `portico serve` requires it."),
		text("mail_dkim_selector", func(c *Config) *string { return &c.DKIMSelector }, checkSelector,
			"The DKIM selector with which your mail server or provider signs, such as `s1`: the name before `._domainkey` in its DNS record. Only `portico doctor` uses it, to check that record."),
		text("mail_reply_to", func(c *Config) *string { return &c.MailReplyTo }, anything,
			"The address for replies to emails: `help@example.com` or `Example <help@example.com>`. Without it, each email says that nobody reads replies."),
		list("return_origins", func(c *Config) *[]string { return &c.ReturnOrigins }, parseReturnOrigin, sameText,
			"Origins of your apps to which users may return after signing in, such as `https://app.example.com`. The `*` of `https://*.apps.example.com` stands for exactly one label, so `apps.example.com` itself is not included."),
		text("return_default", func(c *Config) *string { return &c.ReturnDefault }, checkReturnDefault,
			"The page after signing in if the request does not name one: a path on this host, or a URL of one of `return_origins`. The default is the app behind Portico, or else the account page."),
		text("locale", func(c *Config) *string { return &c.Locale }, checkLocale,
			"The language of emails and pages for users whose browser asks for no language that Portico has."),
		text("texts", func(c *Config) *string { return &c.Texts }, checkFolder,
			"The folder with your own texts for pages and emails, with one `<locale>.json` per language. See [Texts](texts.md). The default is the folder `texts` next to the file of settings, if it exists."),
		toggle("admin", func(c *Config) *bool { return &c.Admin },
			"Whether there is an [admin page](admin.md). Without it, the page and its API answer 404, and commands do the same work."),
		text("first_admin", func(c *Config) *string { return &c.FirstAdmin }, anything,
			"The email address of the first admin. If there is no account when `portico serve` starts, it makes this one, and prints a link with which it gets its first passkey or password. Without this setting, the link asks for the address. See [The admin page](admin.md)."),
		list("admin_networks", func(c *Config) *[]netip.Prefix { return &c.AdminNetworks }, parsePrefix, netip.Prefix.String,
			"The networks from which the admin page answers, such as `[\"10.0.0.0/8\"]`. From all others it answers 404. Without this setting, it answers everywhere."),
		text("places", func(c *Config) *string { return &c.Places }, checkEnding(".mmdb"),
			"A file in the MaxMind DB format that maps networks to cities or countries. The sessions page then shows where each session began, in place of its network. See [Places of sessions](personal-data.md#places-of-sessions)."),
		toggle("hsts_subdomains", func(c *Config) *bool { return &c.HSTSSubdomains },
			"Whether browsers must use https for all subdomains of the public host as well (HSTS `includeSubDomains`), for two years after each visit. Turn it off while one of them still needs http. `portico init` turns it off where the public host is a whole domain, such as `example.com`."),
		text("profile", func(c *Config) *string { return &c.Profile }, oneOf("standard", profileNIST),
			"`nist` applies the requirements of NIST SP 800-63B-4 at AAL2, such as a second factor for everyone, sessions of at most a day and passwords of 15 characters. It refuses weaker settings. See [NIST SP 800-63B-4](nist.md)."),
		toggle("passkeys", func(c *Config) *bool { return &c.Passkeys },
			"Whether users may add passkeys and sign in with them. Passkeys belong to the host of `public_url`: passkeys of another host do not work, and an IP address cannot have passkeys."),
		list("passkey_origins", func(c *Config) *[]string { return &c.PasskeyOrigins }, parsePasskeyOrigin, sameText,
			"Origins of other sites that may use the passkeys of this site, such as `https://example.net`. Browsers read the list at `/.well-known/webauthn`. Each listed site can ask users for these passkeys, so list only your own."),
		toggle("openid.client_documents", func(c *Config) *bool { return &c.OpenID.ClientDocuments },
			"Whether apps that you have not registered may sign users in. Such an app, for example an MCP client, publishes its metadata at an https address (Client ID Metadata Document). Users must agree each time. See [Unknown apps](../integrating/openid.md#unknown-apps)."),
		toggle("openid.registration", func(c *Config) *bool { return &c.OpenID.Registration },
			"Whether apps may register themselves (OpenID Connect Dynamic Client Registration, RFC 7591 and 7592), with a token that `portico client token new` prints. Users must agree each time. See [Clients that register themselves](clients.md#clients-that-register-themselves)."),
		list("openid.client_origins", func(c *Config) *[]string { return &c.OpenID.ClientOrigins }, parseClientOrigin, sameText,
			"The only origins, such as `https://claude.ai`, from which Portico loads documents of unknown apps, and keys of unknown and registered apps. An origin in a private network may use http. Without this setting, Portico allows every public https origin."),
		toggle("mfa.trust", func(c *Config) *bool { return &c.MFA.Trust },
			"Whether users may trust a browser for 30 days and sign in there without a second factor. Such a sign-in counts as one factor: the rule `mfa` and changes of the account still require the second one. While it is off, earlier trust does not count."),
		list("mfa.require", func(c *Config) *[]string { return &c.MFA.Require }, parseRequire, sameText,
			"The users who need a second factor: `[\"role:admin\"]` for the users with one of these roles, `[\"all\"]` for everyone. A user without one adds it at the next sign-in. Open sessions continue. See [Accounts](accounts.md#a-second-factor-for-everyone)."),
		duration("mfa.grace", func(c *Config) *time.Duration { return &c.MFA.Grace }, 0, 365*day,
			"How long such a user may postpone this, counted from the first sign-in that asked for it; `0s` allows no delay. The page shows the deadline. In the 72 hours after \"This wasn't me\", no user is asked."),
		duration("audit.keep", func(c *Config) *time.Duration { return &c.Audit.Keep }, 30*day, 3650*day,
			"How long [audit records](audit.md) are kept. A shorter time deletes older records within a minute of a start or a reload."),
		text("brand.name", func(c *Config) *string { return &c.Brand.Name }, checkBrandName,
			"The name on pages and in emails."),
		text("brand.colour", func(c *Config) *string { return &c.Brand.Colour }, checkColour,
			"The color of links, of the focus ring and of the main button, such as `\"#0b6e42\"`. It needs a [contrast](brand.md#colors) of 4.5:1 on the page. The default is the blue `#1a4ab8`."),
		list("brand.gradient", func(c *Config) *[]string { return &c.Brand.Gradient }, checkColour, sameText,
			"The first and the last color of the gradient on the main button and the word logo, such as `[\"#2f8f5b\", \"#0b6e42\"]`. The contrast of its label must be 3:1 everywhere. Give the same color twice for a plain button. The default goes from a lighter tone of `brand.colour` to that color."),
		number("brand.radius", func(c *Config) *int { return &c.Brand.Radius }, 0, 24,
			"The corner radius of buttons and fields, in pixels. The card's corners follow it."),
		text("brand.scheme", func(c *Config) *string { return &c.Brand.Scheme }, oneOf("light", "dark", "auto"),
			"The color scheme of the pages. `auto` follows the visitor's system. Emails always follow the reader's mail program."),
		text("brand.logo", func(c *Config) *string { return &c.Brand.Logo }, checkFile(".png", ".webp", ".svg"),
			"A PNG, WebP or SVG file of at most 256 KiB that replaces the word logo, 32 pixels high. See [Brand](brand.md#files)."),
		text("brand.logo_dark", func(c *Config) *string { return &c.Brand.LogoDark }, checkFile(".png", ".webp", ".svg"),
			"The logo for dark backgrounds, in the schemes `dark` and `auto`. The default is `brand.logo`."),
		text("brand.favicon", func(c *Config) *string { return &c.Brand.Favicon }, checkFile(".png", ".svg"),
			"A square PNG or SVG file of at most 64 KiB for the browser tab. The default is Portico's icon in the colors of the gradient."),
		text("brand.font", func(c *Config) *string { return &c.Brand.Font }, checkFile(".woff2"),
			"A WOFF2 file of at most 512 KiB for all text on the pages. It must contain the Latin letters. Use a variable font: with any other font, browsers synthesize bold text."),
		text("legal.imprint", func(c *Config) *string { return &c.Legal.Imprint }, checkLegal,
			"The page that tells who runs this site, such as `https://example.com/imprint`. Every page and every email links to it."),
		text("legal.privacy", func(c *Config) *string { return &c.Legal.Privacy }, checkLegal,
			"The privacy policy. Every page and every email links to it."),
		text("legal.terms", func(c *Config) *string { return &c.Legal.Terms }, checkLegal,
			"The terms of use, which users must accept before they are signed in. Every page and every email links to them. See [Legal pages and terms](brand.md#legal-pages-and-terms)."),
		text("legal.terms_version", func(c *Config) *string { return &c.Legal.TermsVersion }, checkTermsVersion,
			"The version of the terms, such as `2026-01`. When it changes, every user must accept the terms again at the next sign-in."),
		toggle("signin.code", func(c *Config) *bool { return &c.SignIn.Code },
			"Whether users may sign in with an emailed code instead of a password. The code counts as one factor: an account with a second factor must still give it."),
		text("signin.legacy", func(c *Config) *string { return &c.SignIn.Legacy }, called(writeLegacy),
			"The address of your former system, if its password hashes cannot be exported. It is asked, by a signed POST, whether a password is right when an imported person without a password signs in for the first time. Then Portico keeps its own hash. It must be https, and its host must have a public address, unless `signin.legacy_private` is set. See [Passwords that cannot be exported](../integrating/migrating.md#passwords-that-cannot-be-exported).").hiding(func(c *Config) *string { return &c.SignIn.Legacy }, redactQuery),
		text("signin.legacy_secret", func(c *Config) *string { return &c.SignIn.LegacySecret }, anything,
			"The secret that signs these requests, in the form of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64.").secretly(func(c *Config) *string { return &c.SignIn.LegacySecret }, hide),
		text("signin.legacy_secret_next", func(c *Config) *string { return &c.SignIn.LegacySecretNext }, anything,
			"A second secret that also signs, while the former system changes from one to the other.").secretly(func(c *Config) *string { return &c.SignIn.LegacySecretNext }, hide),
		text("signin.legacy_until", func(c *Config) *string { return &c.SignIn.LegacyUntil }, checkDay,
			"The last day on which the former system is asked, in UTC, at most a year ahead. After it, people without a password choose one by \"Forgot your password?\"."),
		toggle("signin.legacy_private", func(c *Config) *bool { return &c.SignIn.LegacyPrivate },
			"Whether `signin.legacy` may have a private or loopback address, and use http. It opens nothing else."),
		stated(text("signup.mode", func(c *Config) *string { return &c.SignUp.Mode }, oneOf("open", "invited", "approved", "closed"),
			"Whether visitors may sign up. `open`: everybody with an email address may. `invited`: who has an invitation. `approved`: everybody, but an admin approves each account. `closed`: you create the accounts. While it is `open`, the rule `signed-in` and clients without rules let strangers in. See [Who may sign up](accounts.md#who-may-sign-up).")),
		list("signup.domains", func(c *Config) *[]string { return &c.SignUp.Domains }, parseDomain, sameText,
			"The only domains whose email addresses may sign up or replace the address of an account, such as `[\"example.com\"]`. Subdomains are other domains. Another address gets an email that says why. You may give an account any address, and so may users for a recovery."),
		text("signup.name", func(c *Config) *string { return &c.SignUp.Name }, oneOf("off", "optional", "required"),
			"Whether the sign-up form asks for a name. Apps receive it in `X-Portico-Name`, in the token and from the session API. A user who signs up with a provider keeps the name from the provider."),
		text("signup.ask", func(c *Config) *string { return &c.SignUp.Ask }, called(writeAsk),
			"The address of your app, if it decides who may sign up. It is asked by a signed POST before the account of a visitor is made, and has two seconds. It must be https, and its host must have a public address, unless `signup.ask_private` is set. See [A question at sign-up](../integrating/sign-up-question.md).").hiding(func(c *Config) *string { return &c.SignUp.Ask }, redactQuery),
		text("signup.ask_secret", func(c *Config) *string { return &c.SignUp.AskSecret }, anything,
			"The secret that signs these requests, in the form of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64.").secretly(func(c *Config) *string { return &c.SignUp.AskSecret }, hide),
		text("signup.ask_secret_next", func(c *Config) *string { return &c.SignUp.AskSecretNext }, anything,
			"A second secret that also signs, while your app changes from one to the other.").secretly(func(c *Config) *string { return &c.SignUp.AskSecretNext }, hide),
		text("signup.ask_failure", func(c *Config) *string { return &c.SignUp.AskFailure }, oneOf("closed", "open"),
			"What happens when the app gives no answer that can be used. `closed`: nobody signs up. `open`: everybody may, also who makes your app fail."),
		toggle("signup.ask_private", func(c *Config) *bool { return &c.SignUp.AskPrivate },
			"Whether `signup.ask` may have a private or loopback address, and use http. It opens nothing else."),
		text("password.profile", func(c *Config) *string { return &c.Password.Profile }, oneOf("standard", "nist"),
			"`standard` requires at least 8 characters, `nist` at least 15 (NIST SP 800-63B-4, for a password that is the only factor). Both refuse passwords that are known from breaches or easy to guess."),
		number("password.min", func(c *Config) *int { return &c.Password.Min }, 0, 64,
			"The minimum length of a new password in characters, 8 or more; 0 leaves it to the profile."),
		text("password.hash", func(c *Config) *string { return &c.Password.Hash }, oneOf("fixed", "auto"),
			"How the cost of a password hash is chosen. `fixed`: by `hashing.memory_mib` and `hashing.passes`. `auto`: by a measurement at each start, for `password.signins_per_second`, and never less than `fixed`. See [Hashing](hashing.md)."),
		number("password.signins_per_second", func(c *Config) *int { return &c.Password.SignInsPerSecond }, 1, 10_000,
			"Sign-ins and registrations per second that one node must handle at the busiest time, for `password.hash = \"auto\"`."),
		number("hashing.memory_mib", func(c *Config) *int { return &c.Hashing.MemoryMiB }, 19, 256,
			"Memory for one password hash (Argon2id), in MiB."),
		number("hashing.passes", func(c *Config) *int { return &c.Hashing.Passes }, 2, 32,
			"Passes over that memory for one hash."),
		number("hashing.slots", func(c *Config) *int { return &c.Hashing.Slots }, 0, 1024,
			"Hashes computed at the same time; 0 means one per core."),
		number("hashing.queue", func(c *Config) *int { return &c.Hashing.Queue }, 0, 100_000,
			"Hashes that may wait for a slot before sign-ins are answered with 503; 0 means 100 per slot."),
		duration("session.idle", func(c *Config) *time.Duration { return &c.Session.Idle }, 5*time.Minute, 365*day,
			"How long a browser stays signed in while it is not used."),
		duration("session.absolute", func(c *Config) *time.Duration { return &c.Session.Absolute }, 5*time.Minute, 365*day,
			"How long a browser stays signed in at most. NIST SP 800-63B-4 advises 30 days or less."),
		text("log.level", func(c *Config) *string { return &c.Log.Level }, oneOf("debug", "info", "warn", "error"),
			"The lowest severity of the lines that are written."),
		text("log.format", func(c *Config) *string { return &c.Log.Format }, oneOf("json", "text"),
			"`json` for log collectors, `text` for people."),
		location("tracing.endpoint", func(c *Config) **url.URL { return &c.Tracing.Endpoint }, checkCollector,
			"The collector that receives traces (OpenTelemetry, OTLP over HTTP in protobuf), such as `http://127.0.0.1:4318`. The default path is `/v1/traces`. Without this setting, nothing is traced."),
		text("tracing.header", header, checkHeader,
			"A header that the collector requires, as `Name: value`.").secretly(header, redactHeader),
		fraction("tracing.sample_ratio", func(c *Config) *float64 { return &c.Tracing.SampleRatio },
			"The fraction of traces that are recorded, from 0 to 1. For a trace that a proxy of `trusted_proxies` has begun, the proxy decides."),
		text("tls.cert_file", func(c *Config) *string { return &c.TLS.CertFile }, anything,
			"A certificate with its chain, in PEM. Portico then terminates TLS itself and needs no proxy. The file is read again when it changes. See [Serving](serving.md#tls-without-a-proxy)."),
		text("tls.key_file", func(c *Config) *string { return &c.TLS.KeyFile }, anything,
			"The key of that certificate, in PEM."),
		text("tls.ca_file", func(c *Config) *string { return &c.TLS.CAFile }, checkAuthorities,
			"A PEM file with certificates of authorities, such as your own, that Portico trusts in addition to those of the system when it calls other servers. See [Calls to other servers](calls.md)."),
		toggle("tls.acme", func(c *Config) *bool { return &c.TLS.ACME },
			"Whether Portico terminates TLS with certificates that it obtains and renews itself, for the hosts of `public_url` and of the apps. By turning it on, you accept the terms of the authority. It works only with SQLite."),
		location("tls.acme_directory", func(c *Config) **url.URL { return &c.TLS.Directory }, checkDirectory,
			"The ACME directory of the authority."),
		text("tls.acme_email", func(c *Config) *string { return &c.TLS.Email }, anything,
			"The email address at which the authority may contact you."),
		text("tls.http_listen", func(c *Config) *string { return &c.TLS.HTTPListen }, checkHTTPListen,
			"If Portico terminates TLS: the address at which it listens for http, to redirect to https and to answer the authority. `off` turns it off."),
	})
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
			"For Apple: the id of your team. With `key_id` and `private_key`, Portico signs its own client secrets."),
		text(prefix+"key_id", of(func(p *Provider) *string { return &p.KeyID }), anything,
			"For Apple: the id of your key for Sign in with Apple."),
		text(prefix+"private_key", privateKey, anything,
			"For Apple: that key, as the content of the `.p8` file.").secretly(privateKey, hide).onLines(),
		text(prefix+"preset", of(func(p *Provider) *string { return &p.Preset }), oneOf(presets()...),
			"The preset of the provider. The default is the preset with the same name as the id, or else `openid`, which needs the issuer. See [Providers](../integrating/providers.md)."),
		text(prefix+"issuer", of(func(p *Provider) *string { return &p.Issuer }), checkIssuer,
			"The issuer of the provider, as its discovery document states it. Most presets include it. Set it for a company's own tenant or server."),
		text(prefix+"name", of(func(p *Provider) *string { return &p.Name }), anything,
			"The name on the button: \"Continue with ...\"."),
		text(prefix+"icon", of(func(p *Provider) *string { return &p.Icon }), checkFile(".png", ".svg"),
			"A square PNG or SVG file of at most 64 KiB for the button, instead of the preset's icon. An SVG that runs scripts or loads other files is refused."),
		list(prefix+"mfa_amr", func(c *Config) *[]string { return &c.provider(id).MFAAMR }, parseClaim, sameText,
			"Values of the claim `amr`, such as `[\"mfa\", \"hwk\"]`. An ID token with one of them, and with `auth_time`, counts as a second factor. See [Providers](../integrating/providers.md#second-factors)."),
		list(prefix+"mfa_acr", func(c *Config) *[]string { return &c.provider(id).MFAACR }, parseClaim, sameText,
			"Like `mfa_amr`, for the claim `acr`."),
		list(prefix+"audiences", func(c *Config) *[]string { return &c.provider(id).Audiences }, parseClaim, sameText,
			"Audiences (`aud`) that the ID tokens of the provider may have in addition to `client_id`, such as `[\"my-project\"]`. The token must then name `client_id` as `azp`. Without this setting, a token with another audience is refused."),
		list(prefix+"scopes", func(c *Config) *[]string { return &c.provider(id).Scopes }, parseClaim, sameText,
			"The scopes that Portico requests, in place of those of the preset, such as `[\"openid\", \"email\", \"profile\", \"groups\"]` for a provider that sends groups only then."),
		text(prefix+"roles_claim", of(func(p *Provider) *string { return &p.RolesClaim }), anything,
			"The claim of the ID token, of UserInfo or of the profile that `roles` reads: a list of texts, or one text with blanks between its words. Dots lead to nested claims, as in `realm_access.roles`. The default is `groups`."),
		rolesKey(prefix+"roles", func(c *Config) *[]RoleMapping { return &c.provider(id).Roles }),
		toggle(prefix+"trust_email", func(c *Config) *bool { return &c.provider(id).TrustEmail },
			"Whether an address that this provider calls verified counts as confirmed, without another email. Turn it on only for a provider that verifies addresses itself. The default depends on the preset: yes for the public services of Google, Apple, GitHub, GitLab, Discord and LinkedIn, no for every other provider."),
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
