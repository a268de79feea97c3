// Package untrusted lists the request headers that an app must not get from a
// client. Servers and frameworks take them for words of a proxy. The gateway
// removes them, `portico check-app` sends them, and the tests of the proxies
// send them through each documented configuration.
//
// It does not compare names: see the gateway's guard.
package untrusted

import (
	"slices"
	"strings"
)

// Header is a header name, or all names that begin alike.
type Header struct {
	Name  string // "X-Vouch-*" means every name that begins with X-Vouch-
	known string // with a *: names that some server or framework reads
}

// Names returns the names that some server or framework reads.
func (h Header) Names() []string {
	if h.known == "" {
		return []string{h.Name}
	}
	return strings.Fields(h.known)
}

// Prefix returns the part before the *. It returns false for a single name.
func (h Header) Prefix() (string, bool) {
	return strings.CutSuffix(h.Name, "*")
}

// All returns every header that the gateway removes from each request.
func All() []Header {
	return slices.Concat(Targets(), Identities(), Connections())
}

// Names returns the names that some server or framework reads of the headers,
// each once.
func Names(headers []Header) []string {
	var names []string
	for _, h := range headers {
		names = append(names, h.Names()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Targets returns the headers that tell an app another path, method or file
// than the request line. A rule has judged the request line only.
func Targets() []Header {
	return []Header{
		// Variables of CGI. gunicorn cuts SCRIPT_NAME off the path.
		{"Script-*", "Script-Name Script-Filename Script-Url Script-Uri"}, {"Path-Info", ""}, {"Path-Translated", ""},
		{"Request-Uri", ""}, {"Request-Url", ""}, {"Request-Path", ""}, {"Request-Method", ""}, {"Query-String", ""},
		{"Document-Uri", ""}, {"Document-Root", ""}, {"Orig-*", "Orig-Path-Info Orig-Script-Name"},
		{"Redirect-*", "Redirect-Url Redirect-Status"}, {"Php-*", "Php-Self Php-Value Php-Admin-Value"}, {"Raw-Uri", ""},
		// The path before a proxy rewrote it, or in front of which the app is mounted.
		{"X-Forwarded-*", "X-Forwarded-Uri X-Forwarded-Path X-Forwarded-Prefix X-Forwarded-Context X-Forwarded-Method"},
		{"X-Original-*", "X-Original-URL X-Original-URI X-Original-Path X-Original-Method"},
		{"X-Rewrite-*", "X-Rewrite-URL X-Rewrite-URI"}, {"X-Replaced-*", "X-Replaced-Path"},
		{"X-Real-*", "X-Real-URL X-Real-URI X-Real-Path"}, {"X-Override-*", "X-Override-URL"}, {"X-Script-*", "X-Script-Name"},
		{"X-Path-Info", ""}, {"X-Request-URI", ""}, {"X-Request-URL", ""}, {"X-Request-Path", ""}, {"X-Request-Method", ""},
		{"X-Envoy-*", "X-Envoy-Original-Path X-Envoy-Original-Url X-Envoy-Internal"}, {"X-Kong-*", "X-Kong-Request-Id"},
		{"X-Proxy*", "X-ProxyContextPath X-Proxy-User"}, {"X-Ingress-Path", ""}, {"X-External-Path", ""},
		// IIS and Azure.
		{"Unencoded-Url", ""}, {"IIS-WasUrlRewritten", ""}, {"X-Waws-*", "X-Waws-Unencoded-URL"}, {"X-MS-Original-URL", ""},
		{"X-Arr-*", "X-Arr-ClientCert X-Arr-Ssl"},
		// Methods.
		{"X-HTTP-*", "X-HTTP-Method X-HTTP-Method-Override X-HTTP-Path-Override"}, {"Method-Override", ""}, {"X-Method", ""},
		{"X-Method-*", "X-Method-Override"}, {"X-RestLi-Method", ""},
		// Files that a server sends in place of an answer.
		{"X-Sendfile*", "X-Sendfile X-Sendfile-Type"}, {"X-Accel-*", "X-Accel-Mapping X-Accel-Redirect"},
		// Routers of frameworks: Next.js, Vercel, Astro, AWS Lambda, Spring Cloud.
		{"X-Middleware-*", "X-Middleware-Subrequest X-Middleware-Rewrite X-Middleware-Next X-Middleware-Override-Headers"},
		{"X-Invoke-*", "X-Invoke-Path X-Invoke-Query X-Invoke-Output X-Invoke-Status"}, {"X-Matched-Path", ""},
		{"X-Now-*", "X-Now-Route-Matches"}, {"X-Vercel-*", "X-Vercel-Forwarded-For"}, {"X-Astro-*", "X-Astro-Path X-Astro-Locals"},
		{"X-ApiGateway-*", "X-ApiGateway-Event X-ApiGateway-Context"}, {"X-Amzn-Request-Context", ""}, {"X-Amzn-Lambda-Context", ""},
		{"Spring-Cloud-Function-*", "Spring-Cloud-Function-Definition Spring-Cloud-Function-Routing-Expression"},
	}
}

// Identities returns the headers by which Portico and other products tell apps
// who the user is.
func Identities() []Header {
	return []Header{
		{"X-Portico-*", "X-Portico-User X-Portico-Email X-Portico-Name X-Portico-Roles X-Portico-Session-Age X-Portico-Token"},
		{"Remote-*", "Remote-User Remote-Email Remote-Name Remote-Groups"}, {"X-Remote-*", "X-Remote-User X-Remote-Email X-Remote-Group"},
		{"X-Forwarded-*", "X-Forwarded-User X-Forwarded-Email X-Forwarded-Groups X-Forwarded-Preferred-Username X-Forwarded-Access-Token X-Forwarded-Client-Cert"},
		{"X-Auth-Request-*", "X-Auth-Request-User X-Auth-Request-Email X-Auth-Request-Groups X-Auth-Request-Preferred-Username X-Auth-Request-Access-Token"},
		{"X-WebAuth-*", "X-WebAuth-User X-WebAuth-Email X-WebAuth-Name X-WebAuth-Role X-WebAuth-Roles X-WebAuth-Groups"},
		{"X-Authentik-*", "X-Authentik-Username X-Authentik-Groups X-Authentik-Email X-Authentik-Uid X-Authentik-Jwt"},
		{"X-Vouch-*", "X-Vouch-User X-Vouch-Token X-Vouch-Idp-Claims-Groups"}, {"X-Pomerium-*", "X-Pomerium-Jwt-Assertion X-Pomerium-Claim-Email"},
		{"Cf-Access-*", "Cf-Access-Authenticated-User-Email Cf-Access-Jwt-Assertion"},
		{"X-Goog-Authenticated-*", "X-Goog-Authenticated-User-Email X-Goog-Authenticated-User-Id"}, {"X-Goog-IAP-*", "X-Goog-IAP-Jwt-Assertion"},
		{"X-AppEngine-*", "X-AppEngine-User-Email X-AppEngine-Cron"}, {"X-Endpoint-API-UserInfo", ""},
		{"X-MS-CLIENT-PRINCIPAL*", "X-MS-CLIENT-PRINCIPAL X-MS-CLIENT-PRINCIPAL-NAME X-MS-CLIENT-PRINCIPAL-ID"},
		{"X-MS-Token-*", "X-MS-Token-AAD-Access-Token"}, {"MS-AspNetCore-*", "MS-AspNetCore-WinAuthToken MS-AspNetCore-ClientCert"},
		{"X-IISNode-*", "X-IISNode-Auth_User X-IISNode-Logon_User"},
		{"X-Amzn-Oidc-*", "X-Amzn-Oidc-Identity X-Amzn-Oidc-Data"}, {"X-Amzn-Mtls-*", "X-Amzn-Mtls-Clientcert-Subject"},
		{"Tailscale-*", "Tailscale-User-Login Tailscale-User-Name"}, {"OIDC-*", "OIDC-Claim-Sub OIDC-Claim-Email OIDC-Access-Token"},
		{"Mellon-*", "Mellon-NameId"}, {"Shib-*", "Shib-Session-Id"}, {"X-UserInfo", ""},
		{"X-Consumer-*", "X-Consumer-Username X-Consumer-Groups"}, {"X-Anonymous-Consumer", ""}, {"X-Credential-*", "X-Credential-Identifier"},
		{"X-Authenticated-*", "X-Authenticated-User X-Authenticated-Userid X-Authenticated-Groups"}, {"X-ProxiedEntitiesChain", ""},
		// Certificates of clients (RFC 9440).
		{"Client-Cert*", "Client-Cert Client-Cert-Chain"}, {"X-Client-Cert*", "X-Client-Cert"}, {"SSL-Client-*", "SSL-Client-Cert SSL-Client-Verify SSL-Client-S-Dn"},
		{"X-SSL-*", "X-SSL-Client-Cert X-SSL-Client-Verify X-SSL-Client-S-Dn"},
	}
}

// Connections returns the headers that describe the connection of the client,
// and the header that CGI turns into HTTP_PROXY (httpoxy).
func Connections() []Header {
	return []Header{
		{"Forwarded", ""}, {"X-Forwarded", ""}, {"X-Forwarded-*", "X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto X-Forwarded-Port X-Forwarded-Server"},
		{"X-Real-*", "X-Real-IP"}, {"Client-IP", ""}, {"X-Client-IP", ""}, {"X-Cluster-Client-IP", ""}, {"True-Client-IP", ""},
		{"CF-Connecting-IP", ""}, {"Fastly-Client-IP", ""}, {"X-Request-Id", ""}, {"Proxy", ""},
	}
}
