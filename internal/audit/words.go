package audit

import (
	"maps"
	"slices"
	"strings"
)

// Words says what happened, in English and about somebody else, for operators and admins.
// The history of an account has its own words, in the language of its owner.
func (n Name) Words() string {
	if text, ok := words[n]; ok {
		return text
	}
	return strings.ReplaceAll(string(n), "_", " ") // of a newer version
}

// Names returns all names, without an order.
func Names() []Name { return slices.Collect(maps.Keys(words)) }

var words = map[Name]string{
	SignedUp:              "Signed up",
	SignUpAsked:           "The app was asked about a sign-up",
	SignedIn:              "Signed in",
	ProofGiven:            "Signed in again, so that a change could go on",
	SignInFailed:          "A wrong password was entered",
	SignInRefused:         "A sign-in was refused, because nobody may sign in to the account",
	SignedOut:             "Signed out",
	SessionEnded:          "Sessions were ended",
	Throttled:             "Sign-in paused after too many wrong attempts",
	MailHeld:              "An email was not sent, because too many were requested",
	CodeFailed:            "A wrong code was entered",
	CodeReplayed:          "A used code was entered again",
	PasswordChanged:       "The password was changed",
	PasswordRemoved:       "The password was removed",
	AddressChanged:        "The email address was changed",
	AddressProven:         "The address of an imported account was proven",
	RecoverySet:           "A recovery address was set",
	AddressRemoved:        "An email address was removed",
	AlarmRaised:           "“This wasn’t me” was pressed in an email",
	NameChanged:           "The name was changed",
	LocaleChanged:         "The language of emails was changed",
	PortraitChanged:       "The picture was changed or removed",
	TermsAccepted:         "The terms of use were accepted",
	ProviderLinked:        "A provider was connected",
	ProviderRemoved:       "A provider was removed",
	ProviderRefused:       "A sign-in with a provider failed",
	FactorAdded:           "An authenticator app was added",
	FactorRemoved:         "An authenticator app was removed",
	FactorFailed:          "A wrong code was entered at the second step",
	CodesMade:             "New recovery codes were made",
	CodesRemoved:          "The recovery codes were removed",
	CodeSpent:             "A recovery code was used",
	PasskeyAdded:          "A passkey was added",
	PasskeyRenamed:        "A passkey was renamed",
	PasskeyRemoved:        "A passkey was removed",
	PasskeySuspect:        "A passkey that may have been copied was used",
	DataDownloaded:        "The data of the account was downloaded",
	BrowserTrusted:        "A trusted browser was added",
	TrustEnded:            "Trusted browsers were removed",
	AccountCreated:        "The account was created",
	AccountImported:       "The account was imported, or an import has changed it",
	LinkMade:              "A link to get in was made",
	AccountApproved:       "The account was approved",
	InvitationSent:        "An invitation was sent, or a link for many made",
	InvitationUsed:        "An invitation made the account",
	InvitationEnded:       "An invitation was ended",
	AccountDisabled:       "The account was disabled",
	AccountEnabled:        "The account was enabled again",
	AccountDeleted:        "The account was deleted",
	AccountLeft:           "The account was closed by its owner",
	AccountKept:           "The deletion of the account was canceled",
	Restored:              "The site was restored from a backup",
	RolesChanged:          "The roles were changed",
	EndChanged:            "The end of the account was changed",
	ClaimsChanged:         "The claims for apps were changed",
	Unlocked:              "Waiting times and limits were reset",
	KeyRotated:            "A signing key was made",
	KeyRevoked:            "A signing key was revoked",
	KeyChanged:            "The master key was changed",
	RecordExported:        "The record was exported",
	Exported:              "All accounts were exported",
	ClientAuthorized:      "Signed in to an app",
	GrantReused:           "An app’s access was ended, because a code or key was used twice",
	ConsentGiven:          "An app got access",
	ConsentRevoked:        "An app was removed",
	GrantRevoked:          "An app disconnected",
	RegistrationAllowed:   "A registration token was made",
	RegistrationWithdrawn: "A registration token was deleted",
	RegistrationMade:      "An app registered itself",
	RegistrationChanged:   "An app changed its registration",
	RegistrationEnded:     "A registered app was deleted",
	MailSentAgain:         "An email was sent again",
	MailDropped:           "An undelivered email was deleted",
	JobStopped:            "A job was stopped before its end",
	WebhookTried:          "A test was sent to a webhook",
	WebhookRetried:        "Events were sent to a webhook again",
	APIKeyMade:            "An API key was made",
	APIKeyRotated:         "An API key got a new secret",
	APIKeyEnded:           "An API key or its old secret was ended",
	TokenMade:             "An access token for an app was made",
	TokenEnded:            "An access token for an app was ended",
}
