package screens

import (
	"portico/internal/server/form"
)

// Boot is the data of a document, besides its texts. The template is filled
// with it, and the script starts from it. Every key is always present.
//
// If you change a type of this file you MUST run go generate
// ./internal/server/api: the front end takes its types and its empty boot data
// from here.
type Boot struct {
	Screen    string        `json:"screen"`
	Locale    string        `json:"locale"`
	Locales   []Language    `json:"locales"`
	Here      string        `json:"here"` // path of this page, which the language menu leads back to
	Brand     Brand         `json:"brand"`
	Legal     Legal         `json:"legal"`
	Settings  Settings      `json:"settings"`
	Sender    string        `json:"sender"` // address that mails come from, "" when none are sent
	Providers []Provider    `json:"providers"`
	ReturnTo  string        `json:"return_to"`
	Values    Values        `json:"values"`
	Errors    Errors        `json:"errors"`
	Notice    string        `json:"notice"`
	Again     string        `json:"again" enum:" yes closed"` // "yes" if the signed-in user must give a new proof, closed while an alarm forbids the changes of the page
	Success   string        `json:"success"`                  // what the previous step did
	Flow      form.Flow     `json:"flow"`
	Link      Link          `json:"link"`
	Session   SignedIn      `json:"session"`
	Account   Account       `json:"account"`
	Client    Client        `json:"client"`
	Device    WaitingDevice `json:"device"`
	MFA       MFA           `json:"mfa"`
	Factors   Factors       `json:"factors"`
	Protect   Protect       `json:"protect"`
	Passkeys  Passkeys      `json:"passkeys"`
	Tokens    Tokens        `json:"tokens"`
	Status    int           `json:"status"`
	Title     string        `json:"title"`
	Detail    string        `json:"detail"`
	Next      string        `json:"next"` // on an account page, the form that undoes what the previous step did
	NextLabel string        `json:"next_label"`
	Back      string        `json:"back"` // a second way on
	BackLabel string        `json:"back_label"`
}

// yes returns the form of a boolean in boot data. Templates know only texts.
func yes(is bool) string {
	if is {
		return "yes"
	}
	return ""
}

// Language is an entry of the language menu.
type Language struct {
	ID   string `json:"id"`
	Name string `json:"name"` // in the language itself
}

// secret reports whether the document shows a secret.
func (b Boot) secret() bool {
	return b.Factors.Secret != "" || b.Tokens.Made != "" || len(b.Factors.Codes) > 0
}

// Brand is the name and the logo of the site.
type Brand struct {
	Name string `json:"name"`
	Logo string `json:"logo"` // URL path, "" for the word logo
}

// Legal has the addresses of the legal pages, "" for none.
type Legal struct {
	Imprint string `json:"imprint"`
	Privacy string `json:"privacy"`
	Terms   string `json:"terms"`
	Version string `json:"terms_version"` // that users accept
}

// Settings has the part of the settings that the screens follow.
type Settings struct {
	SignUp      string `json:"signup"` // "yes" where people may register
	Name        string `json:"name"`   // "optional" or "required" where the form asks for one
	PasswordMin int    `json:"password_min"`
	PasswordMax int    `json:"password_max"`
	CodeLength  int    `json:"code_length"`
	CodeMinutes int    `json:"code_minutes"` // validity of a mailed code
	SignInCode  string `json:"signin_code"`  // "yes" where people may sign in by one
	Providers   string `json:"providers"`    // "yes" where there are some
	Passkeys    string `json:"passkeys"`     // "yes" where people may use them
	Trust       string `json:"trust"`        // "yes" where people may trust a browser
	Tokens      string `json:"tokens"`       // "yes" where an app takes personal access tokens
}

// Provider is the button of an external provider.
type Provider struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Icon string `json:"icon"` // the icon of the preset; "" with a picture
	// Picture is the URL path of the operator's own icon.
	Picture string `json:"picture"`
	Last    string `json:"last"` // "yes" for the one by which this browser was signed in last
}

// Values are what the visitor typed, except passwords.
type Values struct {
	Name  string `json:"name"`
	Email string `json:"email"`
	Terms string `json:"terms"` // "yes" if the box is ticked
}

// Errors are in the locale of the document.
type Errors struct {
	Form       string      `json:"form"`
	Code       string      `json:"code"`
	RequestID  string      `json:"request_id"`
	RetryAfter int         `json:"retry_after"` // seconds
	Fields     FieldErrors `json:"fields"`
}

// FieldErrors are the errors of fields.
type FieldErrors struct {
	Name     string `json:"name"`
	Email    string `json:"email"`
	Password string `json:"password"`
	Confirm  string `json:"confirm_password"`
	Code     string `json:"code"`
	Terms    string `json:"terms"`
}

// Link is the state of a mailed link.
type Link struct {
	State   string `json:"state" enum:" ready password elsewhere expired used replaced malformed"`
	Mark    string `json:"mark"` // the form returns it, and applies only to this link
	Kind    string `json:"kind" enum:" signup recovery handed code provider address"`
	Address string `json:"address"`
	Email   string `json:"email"`
	Age     string `json:"age"` // in words; of the newest email if it replaces this one
}

// SignedIn is the signed-in user.
type SignedIn struct {
	ID    string `json:"id"`
	Email string `json:"email"`
	Name  string `json:"name"`
}

// Account is what the account pages show.
type Account struct {
	Password  string           `json:"password" enum:" none only removable"` // only: it cannot be removed now
	Languages []Choice         `json:"languages"`
	History   []Event          `json:"history"`
	SignIns   string           `json:"signins"` // "yes" if the history has only attempts to sign in
	Older     string           `json:"older"`   // address of the page with the next older events
	Apps      []App            `json:"apps"`
	Browsers  []TrustedBrowser `json:"browsers"`
	Providers []LinkedProvider `json:"providers"`
	EraseAt   Moment           `json:"erase_at"` // when the account is erased

	Picture  string `json:"picture"`  // address of the picture that the user has given
	Initials string `json:"initials"` // stand in its place

	Sessions []OwnSession `json:"sessions"`
	Others   string       `json:"others"` // "yes" if there are other sessions than this one

	Addresses []OtherAddress `json:"addresses"`
	Primary   string         `json:"primary"` // "yes" if the form changes the address that signs in

	Alerts []Alert       `json:"alerts"`
	States SectionStates `json:"states"`
}

// SectionStates has the state of the sections of the account in words.
type SectionStates struct {
	Addresses string `json:"addresses"`
	Password  string `json:"password"`
	Passkeys  string `json:"passkeys"`
	Factors   string `json:"factors"`
	Weak      string `json:"weak"` // "yes" if the password alone signs in
	Sessions  string `json:"sessions"`
	Browsers  string `json:"browsers"` // "" where no browser may be trusted
	Providers string `json:"providers"`
	Apps      string `json:"apps"`
}

// Alert is something that the user should see to.
type Alert struct {
	ID   string `json:"id"`
	Text string `json:"text"`
	Page string `json:"page"` // where to do so
}

// Moment is a time. The script writes it in the zone of the browser.
type Moment struct {
	At    string `json:"at"`    // RFC 3339; "" for none
	Words string `json:"words"` // in UTC
}

// OwnSession is a session of the account.
type OwnSession struct {
	ID     string `json:"id"`
	Name   string `json:"name"`  // the names of the browser and the system
	Phone  string `json:"phone"` // "yes" if the system is that of a phone or a tablet
	Since  Moment `json:"since"`
	Place  string `json:"place"` // where it began, or the network
	By     string `json:"by"`    // with what the user signed in
	Seen   Moment `json:"seen"`
	Active string `json:"active"` // "yes" if it was used in the last minutes
	Here   string `json:"here"`   // "yes" for the browser that asks
}

// OtherAddress is an address of the account other than the primary one.
type OtherAddress struct {
	ID       string `json:"id"` // as its forms name it
	Address  string `json:"address"`
	Recovery string `json:"recovery"` // "yes" for the address for recovery
	Until    Moment `json:"until"`    // if it is only kept for the account
}

// LinkedProvider is a provider that the account can be connected with.
type LinkedProvider struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Since Moment `json:"since"` // none if it is not connected
}

// Client is the OpenID client that a page is about.
type Client struct {
	Request string  `json:"request"` // the query of its request, which the form returns
	Name    string  `json:"name"`
	Mark    string  `json:"mark"`    // one or two letters that stand for it
	Host    string  `json:"host"`    // to which the browser returns
	Asked   string  `json:"asked"`   // ids of the scopes
	Scopes  []Scope `json:"scopes"`  // what it asks for, in words
	Unknown string  `json:"unknown"` // the host of a client that no operator has registered, else ""
}

// WaitingDevice is a device that waits for its user.
type WaitingDevice struct {
	State string `json:"state" enum:" confirm allowed denied"` // "" asks for the code
	Code  string `json:"code"`                                 // that it shows
}

// Scope is a part of what an OpenID client learns about a user.
type Scope struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// App is an OpenID client that knows the account.
type App struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Scopes string `json:"scopes"` // in words; "" if the user was not asked
	Since  Moment `json:"since"`
}

// TrustedBrowser is a browser in which the account is not asked for a second factor.
type TrustedBrowser struct {
	ID    string `json:"id"`
	Name  string `json:"name"` // the names of the browser and the system
	Used  Moment `json:"used"`
	Until Moment `json:"until"`
	Here  string `json:"here"` // "yes" for the one that asks
}

// Event is an audit record in words. Day and time are in UTC.
type Event struct {
	ID      string `json:"id"`
	Text    string `json:"text"`
	At      string `json:"at"` // RFC 3339
	Day     string `json:"day"`
	Begins  string `json:"begins"` // "yes" for the first event of its day
	Time    string `json:"time"`
	Where   string `json:"where"`   // browser and network
	SignIn  string `json:"signin"`  // "yes" for an attempt to sign in
	SignOut string `json:"signout"` // "yes" for the end of sessions
	Failed  string `json:"failed"`  // "yes" for an attempt that failed
}

// Choice is one of several values of a form.
type Choice struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Chosen string `json:"chosen"` // "yes" for one of them
}

// MFA is what the page of the second factor shows.
type MFA struct {
	Way string `json:"way" enum:" totp passkey recovery"` // what the page asks for
	// The same page for the other ways that the account has.
	App      string `json:"app"`
	Passkey  string `json:"passkey"`
	Recovery string `json:"recovery"`
	Second   string `json:"second"` // what a passkey is given for
	// How many digits a code of the apps has, at least and at most, if one has more than six.
	Shortest string `json:"shortest" enum:" 6 7 8"`
	Longest  string `json:"longest" enum:" 7 8"`
	Moved    string `json:"moved"` // "yes" if recovery codes are from another system, so that they have any form
	// Trust is "yes" where the user may trust this browser, Trusting where the box
	// is ticked.
	Trust    string `json:"trust"`
	Trusting string `json:"trusting"`
}

// Factors are the second factors of an account.
type Factors struct {
	State string   `json:"state" enum:" list app codes"`
	List  []Factor `json:"list"`
	Full  string   `json:"full"` // "yes" if no more can be added
	Left  string   `json:"left"` // recovery codes; "" without an app or a passkey
	Few   string   `json:"few"`  // "yes" if new recovery codes are needed

	// For an app that is being added.
	Secret string `json:"secret"`
	URI    string `json:"uri"`
	QR     string `json:"qr"`   // the dark modules, as the path of an SVG
	Size   string `json:"size"` // modules of a side with its margin

	Codes []RecoveryCode `json:"codes"`
	Made  string         `json:"made"` // the day of the codes, for paper
}

// Protect is what the page of a second factor shows that the account needs.
type Protect struct {
	Later string `json:"later"` // "yes" if it can be put off
	Until Moment `json:"until"`
}

// Factor is one second factor.
type Factor struct {
	ID    string `json:"id"`
	Added Moment `json:"added"`
	Used  Moment `json:"used"`
	Last  string `json:"last"` // "yes" if the account needs one and has no other

}

// Passkeys are the passkeys of an account.
type Passkeys struct {
	List  []Passkey `json:"list"`
	Full  string    `json:"full"`  // "yes" if no more can be added
	Alone string    `json:"alone"` // "yes" if the account has no app and no recovery codes
	// How authenticators know the account; "" without passkeys.
	Host string `json:"rp_id"`
	User string `json:"user_id"`
}

// Passkey is one passkey.
type Passkey struct {
	ID    string `json:"id"`
	Name  string `json:"name"`  // "" for an authenticator that is not known
	Typed string `json:"typed"` // what the field for the name has
	Added Moment `json:"added"`
	Used  Moment `json:"used"`
	Other string `json:"other"` // the host that it was made for, if not this one
	Last  string `json:"last"`  // as in Factor
	// Credential is its id at the authenticator.
	Credential string `json:"credential"`
}

// Tokens are the personal access tokens of an account, and what the form for a new one offers.
type Tokens struct {
	List  []Token  `json:"list"`
	Apps  []Choice `json:"apps"`
	Roles []Choice `json:"roles"`
	Lives []Choice `json:"lives"`
	Nonce string   `json:"nonce"` // the same form, sent again, makes the same token
	Full  string   `json:"full"`  // "yes" if no more can be made
	Made  string   `json:"made"`  // the text of a new one, shown once
}

// Token is one personal access token.
type Token struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	App   string `json:"app"`
	Roles string `json:"roles"` // in words
	Used  Moment `json:"used"`
	Until Moment `json:"until"`
}

// RecoveryCode is a recovery code that is shown once.
type RecoveryCode struct {
	ID string `json:"id"`
}
