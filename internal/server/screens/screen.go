package screens

// Screen is a document that every locale has.
type Screen int

// The screens. A name in screenNames belongs to each.
//
// If you add a screen you MUST run go generate ./internal/server/api, and add it to
// web/src/entry/screens.ts. The type check of web fails until both are done, and
// the server does not start without the document.
const (
	ScreenSignIn Screen = iota
	ScreenSignUp
	ScreenForgotPassword
	ScreenSignInCode
	ScreenVerifyCode
	ScreenConfirmLink
	ScreenResetPassword
	ScreenMFA
	ScreenTerms
	ScreenAccount
	ScreenAccountPassword
	ScreenAccountFactors
	ScreenAccountPasskeys
	ScreenNewPasskey
	ScreenAccountAddresses
	ScreenAccountSessions
	ScreenAccountProfile
	ScreenAccountHistory
	ScreenAccountApps
	ScreenAccountData
	ScreenAccountProviders
	ScreenAccountBrowsers
	ScreenAccountTokens
	ScreenAccountDelete
	ScreenKeep
	ScreenProtect
	ScreenConsent
	ScreenDevice
	ScreenNotMe
	ScreenSignOut
	ScreenSignedOut
	ScreenError
	ScreenLeaving
	screenCount
)

var screenNames = [screenCount]string{
	ScreenSignIn:           "signin",
	ScreenSignUp:           "signup",
	ScreenForgotPassword:   "forgot-password",
	ScreenSignInCode:       "signin-code",
	ScreenVerifyCode:       "verify-code",
	ScreenConfirmLink:      "confirm-link",
	ScreenResetPassword:    "reset-password",
	ScreenAccount:          "account",
	ScreenAccountPassword:  "account-password",
	ScreenAccountAddresses: "account-addresses",
	ScreenAccountSessions:  "account-sessions",
	ScreenAccountProfile:   "account-profile",
	ScreenAccountHistory:   "account-history",
	ScreenAccountApps:      "account-apps",
	ScreenAccountData:      "account-data",
	ScreenAccountProviders: "account-providers",
	ScreenAccountBrowsers:  "account-browsers",
	ScreenAccountTokens:    "account-tokens",
	ScreenAccountDelete:    "account-delete",
	ScreenKeep:             "keep",
	ScreenProtect:          "protect",
	ScreenConsent:          "consent",
	ScreenDevice:           "device",
	ScreenNotMe:            "not-me",
	ScreenSignOut:          "sign-out",
	ScreenSignedOut:        "signed-out",
	ScreenError:            "error",
	ScreenLeaving:          "leaving",
	ScreenMFA:              "mfa",
	ScreenTerms:            "terms",
	ScreenAccountFactors:   "account-factors",
	ScreenAccountPasskeys:  "account-passkeys",
	ScreenNewPasskey:       "new-passkey",
}

// String returns the name of the screen in paths and in the front end.
func (s Screen) String() string { return screenNames[s] }

// Names returns the names of all screens, in the order of their constants.
func Names() []string {
	names := screenNames
	return names[:]
}
