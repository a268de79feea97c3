package audit_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"portico/internal/audit"
	"portico/internal/goldentest"
)

// The table of events has a row for each name, made of its words and of explained.
func TestNames_AreDocumented(t *testing.T) {
	t.Parallel()
	const page, begin, end = "../../docs/operating/audit.md", "<!-- Made from internal/audit: change document_test.go or words.go, then run go test ./internal/audit -update. -->\n", "<!-- end of the events -->"
	table := "\n| event | meaning | detail | email |\n|---|---|---|---|\n"
	for _, name := range names(t) {
		n := audit.Name(name[2])
		row, known := explained()[n]
		if !known {
			t.Errorf("document_test.go lacks %s", name[1])
		}
		meaning := strings.TrimSuffix(n.Words()+". "+row.more, ". ")
		table += strings.ReplaceAll(fmt.Sprintf("| `%s` | %s | %s | %s |\n", n, meaning, row.detail, row.email), "|  |", "| |")
	}
	goldentest.Part(t, page, begin, end, table+"\n")
}

// Each event is emailed to the owner, or its row says why not. The tests of package
// flow compare the emails of each transaction with the table.
func TestNames_AreEmailed(t *testing.T) {
	t.Parallel()
	templates, err := os.ReadFile("../flow/mail.go")
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range explained() {
		if strings.HasPrefix(row.email, "none: ") {
			continue
		}
		named := regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(row.email, -1)
		if !strings.HasPrefix(row.email, "`") || len(named) == 0 {
			t.Errorf("%s: the row names neither an email nor a reason for none: %q", name, row.email)
		}
		for _, template := range named {
			if !strings.Contains(string(templates), `"`+template[1]+`"`) {
				t.Errorf("%s: package flow has no email %s", name, template[1])
			}
		}
	}
}

// explanation is what the words of a name leave out, the detail of its records, and its email.
type explanation struct{ more, detail, email string }

func explained() map[audit.Name]explanation {
	const (
		strangers = "none: strangers can cause it"
		noAccess  = "none: it changes no access to the account"
		noAccount = "none: it concerns no account"
		justDone  = "none: the visitor has just done it"
		changed   = "`account-changed` or `account-managed`"
	)
	return map[audit.Name]explanation{
		audit.SignedUp:              {"An address was proven", "`mail` or `provider:ID`", justDone},
		audit.SignUpAsked:           {"Without an account nobody was let in", "`allowed`, `refused` or `no answer`", justDone},
		audit.SignedIn:              {"", "`password`, `passkey`, `mail`, `operator_link` or `provider:ID`; then the second factor, or `trusted_browser`", "`new-device`, if the account does not [know the browser](rate-limits.md), at most five a day"},
		audit.ProofGiven:            {"", "as for `signed_in`", noAccess},
		audit.SignInFailed:          {"Or a wrong passkey was given, or the address has no account", "`password` or `passkey`", strangers},
		audit.SignInRefused:         {"It is disabled, has ended or waits", "`password` or `passkey`, which was right; the fault code", noAccess},
		audit.SignedOut:             {"In one browser", "", noAccess},
		audit.SessionEnded:          {"If an operator ends all, pending sign-ins too", "empty for one session, `others` or `all`", "`account-changed` or `account-managed`, but not if a user ends one session, or if an operator ends all and there is none"},
		audit.Throttled:             {"", "`password`, or the flow of the code", "`signin-blocked` for passwords, at most two a day. None for codes, because strangers cause it"},
		audit.MailHeld:              {"", "the flow: `signup`, `recovery`, `code` or `address`", strangers},
		audit.CodeFailed:            {"", "the flow", strangers},
		audit.CodeReplayed:          {"", "the flow", strangers},
		audit.PasswordChanged:       {"", "`recovery` (also by an operator's link), `account` (account page), empty (`portico user set-password`)", "`password-changed`"},
		audit.PasswordRemoved:       {"Or replaced by a passkey", "`recovery` with an operator's link, `alarm`", "`password-removed` or `take-back`"},
		audit.AddressChanged:        {"", "`alarm`", "`address-replaced` to the former address and `address-added` to the new one, from an operator `address-changed` and `address-given`. After an alarm `alarm-raised`"},
		audit.AddressProven:         {"", "the proofs of the sign-in; `mailbox` if it was the mailbox alone, which removed what the account had brought", "`password-unproven` if this was a password and a code by email signs in, else none: its mailbox has just been used"},
		audit.RecoverySet:           {"", "`alarm`", "`recovery-address-set` or `take-back`"},
		audit.AddressRemoved:        {"", "`alarm`", "`address-removed` or `take-back`"},
		audit.AlarmRaised:           {"What this removed has its own records, with the detail `alarm`", "", "`take-back` or `alarm-raised`. `take-back` goes to the address of the email with the button, and `alarm-raised` to all others, and to the replaced one"},
		audit.NameChanged:           {"", "", "`name-changed`"},
		audit.LocaleChanged:         {"", "the language", noAccess},
		audit.PortraitChanged:       {"", "`given` or `removed`", "`picture-changed` or `picture-removed`"},
		audit.TermsAccepted:         {"", "the version", justDone},
		audit.ProviderLinked:        {"", "the provider", "`provider-linked`, but not for the provider of a sign-up"},
		audit.ProviderRemoved:       {"", "the provider; `alarm`, or `mailbox` as for `address_proven`", "`provider-disconnected`, `provider-removed` or `take-back`"},
		audit.ProviderRefused:       {"", "the provider, a space and the fault code", strangers},
		audit.FactorAdded:           {"", "its kind, `totp`", "`factor-added`"},
		audit.FactorRemoved:         {"", "its kind, or `all` for `portico user reset-factors`; `alarm`", "`factor-removed` or `take-back`"},
		audit.FactorFailed:          {"After a right first proof, actor `stranger`", "the fault code", "`factor-failed`, if the next one has to wait, at most two a day"},
		audit.CodesMade:             {"They replace older ones", "how many", "`recovery-codes-made`"},
		audit.CodesRemoved:          {"By an alarm", "`alarm`", "`take-back`"},
		audit.CodeSpent:             {"", "how many are left", "`recovery-code-used`"},
		audit.PasskeyAdded:          {"", "the model of its authenticator (AAGUID)", "`passkey-added`"},
		audit.PasskeyRenamed:        {"", "the model", "`passkey-renamed`"},
		audit.PasskeyRemoved:        {"One or all", "the model or `all`, `alarm`", "`passkey-removed` or `take-back`"},
		audit.PasskeySuspect:        {"Its counter had not grown. It signs in only if it may be copied to other devices", "`counter`", "`passkey-suspect`, at most two a day"},
		audit.DataDownloaded:        {"", "", "`data-downloaded`"},
		audit.BrowserTrusted:        {"", "", "`browser-trusted`"},
		audit.TrustEnded:            {"A change of the credentials also ends trust, without a record", "empty for one browser, `all`", changed},
		audit.AccountCreated:        {"By an operator, an admin or a key", "the roles", "none: the operator tells the user, or `link_made` does"},
		audit.AccountImported:       {"Or the former system (`signin.legacy`) vouched for a password", "the changed fields; empty if it made the account", "none: an import would send one to everybody"},
		audit.LinkMade:              {"`portico user link` made it, or an admin mailed it", "`welcome` for the email of `portico user welcome`", "`link-made`, or `link-mailed` with the link of an admin, whose copy is `link-made`, or [`welcome`](importing.md#people-without-a-password), without a copy"},
		audit.AccountDisabled:       {"", "`erased`: an admin deleted it, and it is erased after 14 days. `erased,disabled`: the same, and it was disabled before. `erased,waiting`: the same, and it waited for an approval. `erased,leaving`: its owner had closed it. `restored`: the deletion was undone, and it is as before. `ended`: its end has come", "`account-managed`. None when a deletion was undone"},
		audit.AccountApproved:       {"", "", "`account-approved`"},
		audit.AccountEnabled:        {"", "`restored`: a deletion was undone", "`account-managed`"},
		audit.EndChanged:            {"", "the time, `never`", "`account-managed`"},
		audit.ClaimsChanged:         {"", "nothing: the values are not recorded", "`account-managed`"},
		audit.AccountDeleted:        {"At once, or 14 days after it was closed", "empty for the operator, `left` if its owner had closed it, `refused` in place of an approval", "`account-managed`, if the operator deletes it, or `account-refused` in place of an approval. None 14 days after `account_left`"},
		audit.AccountLeft:           {"", "", "`account-left`"},
		audit.AccountKept:           {"", "", "`account-kept`"},
		audit.Restored:              {"", "`import`: an archive of `portico export`", noAccount},
		audit.RolesChanged:          {"", "the new roles. `2 more`: a provider would have given two beyond the 32 that an account can have", "`account-managed`"},
		audit.Unlocked:              {"", "", noAccess},
		audit.KeyRotated:            {"", "the id of the key", noAccount},
		audit.KeyRevoked:            {"", "the id of the key", noAccount},
		audit.KeyChanged:            {"", "the public name of the new key", noAccount},
		audit.RecordExported:        {"", "the id of the account, if only its records", noAccount},
		audit.Exported:              {"With their secrets", "`archive`, `csv`, `keycloak`, `auth0`", noAccount},
		audit.MailSentAgain:         {"It had been given up; one record for each", "its template", noAccess},
		audit.MailDropped:           {"It waited, or had been given up", "its template", noAccess},
		audit.JobStopped:            {"It changes many people, or imports them", "what it does, its id", noAccount},
		audit.WebhookTried:          {"", "its name", noAccount},
		audit.WebhookRetried:        {"One record for at most 200", "the name of the webhook, the id of one event", noAccount},
		audit.APIKeyMade:            {"The account is that of the admin who answers for it", "the id of the key", changed},
		audit.APIKeyRotated:         {"", "the id of the key", changed},
		audit.APIKeyEnded:           {"", "the id of the key, `old_secret`, `no_admin` (of its owner), `alarm`", noAccess},
		audit.TokenMade:             {"", "the name of the app", "`account-changed`"},
		audit.TokenEnded:            {"A change that ends all sessions ends all tokens, without this record", "the name of the app", "`account-changed`"},
		audit.InvitationSent:        {"", "the roles, `many`", noAccount},
		audit.InvitationUsed:        {"Actor: who invites", "the id of the invitation, the roles", justDone},
		audit.InvitationEnded:       {"Or all of a sender who is no longer an admin or has raised an alarm, or of an API key whose secret has ended", "the roles, or `all` with the sender", noAccount},
		audit.ClientAuthorized:      {"An OpenID client got a code", "the client", noAccess},
		audit.GrantReused:           {"The key is an old refresh token", "the client, `code` or `refresh`", "`grant-reused`"},
		audit.ConsentGiven:          {"An OpenID client may know more", "the client", justDone},
		audit.ConsentRevoked:        {"By its user", "the client, `alarm`", "`account-changed`, after an alarm `take-back`, but none if the operator removes the app for all users"},
		audit.GrantRevoked:          {"It revoked its refresh token", "the client", noAccess},
		audit.RegistrationAllowed:   {"", "the id of the token", noAccount},
		audit.RegistrationWithdrawn: {"", "the id of the token", noAccount},
		audit.RegistrationMade:      {"", "the client", noAccount},
		audit.RegistrationChanged:   {"", "the client", noAccount},
		audit.RegistrationEnded:     {"", "the client", noAccount},
	}
}
