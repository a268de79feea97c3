package gateway

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"portico/internal/pages"
	"portico/internal/rule"
)

// navigates reports whether the response will be a page of its own, so that a
// redirect to the sign-in page helps. Browsers say so in Fetch Metadata
// headers. An Accept with text/html proves nothing, because scripts can send it.
// Without those headers, a plain GET counts as a navigation.
func navigates(h http.Header, method string) bool {
	if has(h, "Upgrade") || opensSocket(h) {
		return false
	}
	mode := h["Sec-Fetch-Mode"]
	if len(mode) == 0 {
		return (method == http.MethodGet || method == http.MethodHead) && !has(h, "X-Requested-With")
	}
	dest := h.Get("Sec-Fetch-Dest")
	return len(mode) == 1 && mode[0] == "navigate" && (dest == "document" || dest == "")
}

// wantsJSON reports whether a client takes JSON and names no type of a page. Browsers
// name text/html in every navigation.
func wantsJSON(h http.Header) bool {
	accept := strings.ToLower(strings.Join(h["Accept"], ","))
	return strings.Contains(accept, "json") && !strings.Contains(accept, "html")
}

// opensSocket reports whether a request described by a proxy opens a WebSocket.
// Over HTTP/2 (RFC 8441) it has neither Upgrade nor Sec-WebSocket-Key.
func opensSocket(h http.Header) bool {
	return has(h, "Sec-Websocket-Key", "Sec-Websocket-Version") || strings.EqualFold(h.Get("Upgrade"), "websocket") ||
		slices.Contains(h["Sec-Fetch-Mode"], "websocket")
}

// comeBack returns the target after signing in: the requested one, or the page
// whose form was sent, because the browser cannot send the form again.
func (g *Gateway) comeBack(h http.Header, asked ask) string {
	if asked.method == http.MethodGet || asked.method == http.MethodHead {
		return asked.target
	}
	if page, ok := strings.CutPrefix(h.Get("Referer"), g.originOf(asked.host)); ok && strings.HasPrefix(page, "/") {
		return page
	}
	return "/"
}

// proofPath returns the path of the page that asks for what an error says is
// missing, with a return target: the sign-in page, or the page of the second step.
func proofPath(target string, err error) string {
	path := pages.SignIn + "?"
	switch {
	case errors.Is(err, rule.FactorMissing):
		path = pages.MFA + "?"
	case errors.Is(err, rule.TooOld):
		path += "again=1&" // a new sign-in even if there is a session
	}
	if target == "" {
		return strings.TrimRight(path, "?&")
	}
	return path + "return_to=" + url.QueryEscape(target)
}
