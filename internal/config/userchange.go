package config

import (
	"fmt"
	"slices"
	"strings"
)

// The values of on_user_change: what the gateway does with the app's cookies
// when the account in the browser changes.
const (
	ClearCookies  = "clear-cookies"
	SignOutAtApp  = "sign-out-url"
	IgnoreChanges = "nothing"
)

func userChanges() []string { return []string{ClearCookies, SignOutAtApp, IgnoreChanges} }

// checkUserChange adds problems of settings that contradict each other.
func (a App) checkUserChange(add func(key, why, write string, others ...string)) {
	mode, url := a.Setting("on_user_change", -1), a.Setting("sign_out_url", -1)
	asks := a.OnUserChange == SignOutAtApp
	switch below := strings.TrimSuffix(a.Path, "/") + "/"; {
	case asks && a.SignOutURL == "":
		add(url, "on_user_change is sign-out-url, but there is no URL to request", "write the path at which the app signs users out, such as /logout", mode)
	case !asks && a.SignOutURL != "":
		add(url, "this URL is never requested", `write on_user_change = "sign-out-url", or remove sign_out_url`, mode)
	case asks && !strings.HasPrefix(a.SignOutURL, below):
		add(url, fmt.Sprintf("%q is not below the path of the app", a.SignOutURL), "write it in full, with the path of the app before it", a.Setting("path", -1))
	case asks && a.Upstream == nil:
		add(mode, "another proxy forwards to the app, and Portico does not know the address of the app", "remove the line, or give the app an upstream", a.Setting("upstream", -1))
	}
}

func checkSignOutURL(s string) (string, *mistake) {
	if !strings.HasPrefix(s, "/") || strings.HasPrefix(s, "//") || strings.ContainsAny(s, " #\\") {
		return "", &mistake{fmt.Sprintf("%q is not a path of the app", s), "write a path such as /logout"}
	}
	return s, nil
}

// parseCookieName accepts a token (RFC 6265 4.1.1) that is not a cookie name of
// Portico.
func parseCookieName(s string) (string, *mistake) {
	isToken := s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r) })
	folded := strings.ToLower(s)
	ours := slices.ContainsFunc([]string{"", "__host-", "__secure-"}, func(prefix string) bool { return strings.HasPrefix(folded, prefix+"portico") })
	switch {
	case !isToken:
		return "", &mistake{fmt.Sprintf("%q is not the name of a cookie", s), "write the name alone, such as lang"}
	case ours:
		return "", &mistake{s + " is a cookie of Portico", "remove it: the app never gets it"}
	}
	return s, nil
}
