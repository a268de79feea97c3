package gateway

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// navigates reports whether a person would see the answer as a page of its own,
// so that a redirect to the sign-in page helps. Browsers say so (Fetch Metadata);
// what a request accepts says nothing, since scripts ask for anything. Of a
// client that says nothing, a plain GET is one.
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

// opensSocket reports whether a request that a proxy describes opens a WebSocket.
// One over HTTP/2 (RFC 8441) has neither Upgrade nor Sec-WebSocket-Key.
func opensSocket(h http.Header) bool {
	return has(h, "Sec-Websocket-Key", "Sec-Websocket-Version") || strings.EqualFold(h.Get("Upgrade"), "websocket") ||
		slices.Contains(h["Sec-Fetch-Mode"], "websocket")
}

// comeBack returns where a person who has signed in goes on: to what was asked
// for, or to the page whose form was sent, which the browser cannot send again.
func (g *Gateway) comeBack(h http.Header, asked ask) string {
	if asked.method == http.MethodGet || asked.method == http.MethodHead {
		return asked.target
	}
	if page, ok := strings.CutPrefix(h.Get("Referer"), g.originOf(asked.host)); ok && strings.HasPrefix(page, "/") {
		return page
	}
	return "/"
}

// signInPath is the sign-in page that leads back to a target. Again asks for the
// form although somebody is signed in.
func signInPath(target string, again bool) string {
	path := "/auth/signin?"
	if again {
		path += "again=1&"
	}
	if target == "" {
		return strings.TrimRight(path, "?&")
	}
	return path + "return_to=" + url.QueryEscape(target)
}
