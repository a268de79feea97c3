// Package pages names the paths of Portico's own pages.
//
// It does not serve them. The packages that serve a page, link to it or send a
// browser there take its path from here. The paths of the JSON API are in the
// table of internal/server/api, and the paths between the public host and the
// host of an app are in internal/server/gateway.
package pages

import (
	"net/url"
	"strings"
)

// Root is the path below which every page is. No app gets a request for it.
const Root = "/auth"

// The pages.
const (
	SignIn         = Root + "/signin"
	SignInCode     = Root + "/signin-code" // asks for an emailed code
	SignUp         = Root + "/signup"
	SignUpPasskey  = Root + "/signup-passkey" // makes the passkey of a new account
	ForgotPassword = Root + "/forgot-password"
	VerifyCode     = Root + "/verify-code"
	ConfirmLink    = Root + "/confirm-link"
	ResetPassword  = Root + "/reset-password"
	MFA            = Root + "/mfa"
	Terms          = Root + "/terms"
	Protect        = Root + "/protect" // adds a second factor that the account needs
	Keep           = Root + "/keep"    // whether a closed account is kept
	Account        = Root + "/account"
	Password       = Account + "/password"
	Factors        = Account + "/factors"
	Passkeys       = Account + "/passkeys"
	PasskeyOffer   = Passkeys + "/offer"
	Addresses      = Account + "/addresses"
	Profile        = Account + "/profile"
	History        = Account + "/history"
	Apps           = Account + "/apps"
	Data           = Account + "/data"
	Providers      = Account + "/providers"
	Browsers       = Account + "/browsers"
	Tokens         = Account + "/tokens"
	Sessions       = Account + "/sessions"
	Delete         = Account + "/delete"
	Admin          = Root + "/admin"
	AdminPeople    = Admin + "/people"
	NotMe          = Root + "/not-me" // of the links that raise an alarm
	SignOut        = Root + "/signout"
	SignedOut      = Root + "/signed-out"
	Error          = Root + "/error"
	Language       = Root + "/language" // takes the form of the language menu
	Authorize      = Root + "/openid/authorize"
	Consent        = Root + "/openid/consent" // takes the form of the consent page
	Token          = Root + "/openid/token"
	UserInfo       = Root + "/openid/userinfo"
	EndSession     = Root + "/openid/logout"
	Device         = Root + "/device" // where users type the code of a device
)

// Own reports whether a path belongs to Portico and never to an app.
func Own(path string) bool { return path == Root || strings.HasPrefix(path, Root+"/") }

// OfAccount reports whether a path is the account page or one of its sections.
func OfAccount(path string) bool { return path == Account || strings.HasPrefix(path, Account+"/") }

// OfAdmin reports whether a path is the admin page or one of its places.
func OfAdmin(path string) bool { return path == Admin || strings.HasPrefix(path, Admin+"/") }

// ProviderStart returns the path that begins a sign-in with a provider.
func ProviderStart(id string) string { return Root + "/provider/" + id + "/start" }

// ProviderCallback returns the path to which a provider sends the browser back.
func ProviderCallback(id string) string { return Root + "/provider/" + id + "/callback" }

// Portrait returns the path of a picture that a user has given.
func Portrait(id string) string { return Root + "/picture/" + id }

// Brand returns the path of a file of the operator: a logo, an icon or a font.
func Brand(name string) string { return Root + "/brand/" + name }

// Flow returns the address of the page that shows a flow.
func Flow(page, id string) string { return page + "?flow=" + id }

// ReturnTo returns the address of a page that leads on to a return target, "" for
// none.
func ReturnTo(page, target string) string { return With(page, url.Values{"return_to": {target}}) }

// With returns the address of a page with the parameters that have a value.
func With(page string, query url.Values) string {
	for name, values := range query {
		if values[0] == "" {
			delete(query, name)
		}
	}
	if len(query) == 0 {
		return page
	}
	return page + "?" + query.Encode()
}
