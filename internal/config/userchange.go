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

const (
	aboutUserChange  = "The treatment of the app's cookies when a user signs out, or signs in with another account, in the same browser. `clear-cookies`: the app does not get the previous user's cookies, and the browser deletes them. `sign-out-url`: Portico first asks the app's `sign_out_url` with those cookies, so that the app ends its own session. `nothing`: the cookies reach the app as before. See [two people on one browser](../integrating/user-change.md)."
	aboutKeepCookies = "Names of cookies that stay when the person changes, such as the one for the language. The list is not for cookies that say who is there."
	aboutSignOutURL  = "The path at which the app signs a person out on a GET request, such as `/logout`. It is written in full, with `path` before it. `on_user_change = \"sign-out-url\"` needs it."
)

// checkUserChange adds problems of settings that contradict each other.
func (a App) checkUserChange(add func(key, why, write string, others ...string)) {
	mode, url := a.Setting("on_user_change", -1), a.Setting("sign_out_url", -1)
	asks := a.OnUserChange == SignOutAtApp
	switch below := strings.TrimSuffix(a.Path, "/") + "/"; {
	case asks && a.SignOutURL == "":
		add(url, "on_user_change is sign-out-url, and there is no URL to ask", "write the path at which the app signs people out, such as /logout", mode)
	case !asks && a.SignOutURL != "":
		add(url, "nothing asks this URL", `write on_user_change = "sign-out-url", or remove sign_out_url`, mode)
	case asks && !strings.HasPrefix(a.SignOutURL, below):
		add(url, fmt.Sprintf("%q is not below the path of the app", a.SignOutURL), "write it in full, with the path of the app before it", a.Setting("path", -1))
	case asks && a.Upstream == nil:
		add(mode, "another proxy forwards to the app, so Portico does not know where to ask it", "remove the line, or give the app an upstream", a.Setting("upstream", -1))
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
		return "", &mistake{s + " is a cookie of Portico's", "remove it: the app never gets it"}
	}
	return s, nil
}
