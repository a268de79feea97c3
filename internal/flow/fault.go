package flow

import (
	"errors"

	"portico/internal/fault"
)

// Codes of the faults of flows.
const (
	CodeFlowUnknown  = "flow.unknown"
	CodeFlowConflict = "flow.conflict"

	CodeSignInRejected = "signin.rejected"
	CodeSignUpClosed   = "signup.closed"
	CodeSignUpDomain   = "signup.domain"
	CodeSignUpTaken    = "signup.taken"
	CodeSignUpInvited  = "signup.uninvited"
	CodeInvitationOver = "signup.invitation_over"
	CodeSignUpFirst    = "signup.first"
	CodeSignUpWaits    = "signup.waits"
	CodeSignUpDeclined = "signup.declined"
	CodeSignUpSaid     = "signup.said"
	CodeSignUpUnasked  = "signup.unasked"
	CodeLinkPassword   = "link.password"
	CodeRoleInvalid    = "role.invalid"
	CodeImportFile     = "import.file"
	CodeProofNeeded    = "proof.needed"
	CodeAddressSame    = "address.same" // as the account has
	CodeAlarmed        = "alarm.raised"
	CodeAlreadyLinked  = "provider.already_linked"
	CodeIdentityTaken  = "provider.taken"
	CodeTermsRequired  = "terms.required"
	CodeTermsChanged   = "terms.changed" // since the page was loaded

	CodeAdminSelf = "admin.self"
	CodeAdminLast = "admin.last"

	CodeOtherAddress = "admin.other_address"
	CodeNoApp        = "admin.no_app"

	CodeClaimsInvalid = "claims.invalid"

	CodeInvitationText = "invitation.text"
	CodeInvitationList = "invitation.list"
	CodeInvitationUses = "invitation.uses"
	CodeInvitationEnd  = "invitation.end"

	CodeProviderNoAddress    = "provider.no_address"
	CodeProviderAddressTaken = "provider.address_taken"
)

var (
	// Unknown means that this browser has no such flow: it never existed, has
	// expired, or began in another browser. The response is the same for all.
	Unknown = fault.New(fault.Missing, CodeFlowUnknown).WithParams(map[string]string{"reason": "over"})

	// Moved means that the flow is at another step by now.
	Moved = fault.New(fault.Conflict, CodeFlowConflict)

	// Overtaken is Unknown with another reason: how the account is signed in to has changed
	// since the flow began. Only a caller who has given the first proof gets it.
	Overtaken = Unknown.WithParams(map[string]string{"reason": "overtaken"})

	// Rejected is the only response to a wrong address or a wrong password.
	Rejected = fault.New(fault.Unauthenticated, CodeSignInRejected)

	// ByCodeOff means that the operator does not allow a sign-in by an emailed code.
	ByCodeOff = fault.New(fault.Missing, "signin.code_off")

	// LinkPassword means that the password does not match the sign-up to which
	// the mailed link belongs.
	LinkPassword = fault.New(fault.Unauthenticated, CodeLinkPassword).
			WithFields(fault.Field{Name: "password", Code: CodeLinkPassword})

	// LinkLocked means that no further password is accepted for the link. The link works
	// without one, if the owner of the mailbox chooses a password.
	LinkLocked = fault.New(fault.Limited, "link.locked")

	// ProofNeeded means that a change of the account requires a newer proof than
	// the session has: a sign-in, or a second factor, as its parameter reason says.
	// The user gives it and sends the same form.
	ProofNeeded = fault.New(fault.Unauthenticated, CodeProofNeeded)

	// LastWay means that a change would leave the account without a way in.
	LastWay = fault.New(fault.Conflict, "account.last_way")

	// AddressTaken means that another account has taken the address since its code
	// was mailed. Only a caller with the code from the mailbox gets it.
	AddressTaken = fault.New(fault.Conflict, "address.taken")

	// NoAddress means that the user does not have this address, or it is the primary one.
	NoAddress = fault.New(fault.Missing, "address.missing")

	// AddressesFull means that the account has as many addresses as it may have.
	AddressesFull = fault.New(fault.Conflict, "address.full")

	// LinkElsewhere means that the mailed link works only in the browser that asked
	// for it.
	LinkElsewhere = fault.New(fault.Forbidden, "link.elsewhere")

	// Alarmed means that the owner raised the alarm recently, so the ways to sign in
	// cannot be changed.
	Alarmed = fault.New(fault.Forbidden, CodeAlarmed)

	// AlarmOver means that the link of an alarm does nothing: it has expired, is
	// broken, or an alarm about an earlier change has made it void.
	AlarmOver = fault.New(fault.Expired, "alarm.over")

	// AlarmDone means that the alarm of the link was raised before.
	AlarmDone = fault.New(fault.Conflict, "alarm.done")

	// NotLinked means that the account has no identity at the provider.
	NotLinked = fault.New(fault.Missing, "provider.not_linked")

	// AlreadyLinked means that the account has an identity at the provider.
	AlreadyLinked = fault.New(fault.Conflict, CodeAlreadyLinked)

	// IdentityTaken means that another account has the identity.
	IdentityTaken = fault.New(fault.Conflict, CodeIdentityTaken)

	// TermsChanged means that the form accepts another version of the terms than the
	// current one: its page is older.
	TermsChanged = fault.New(fault.Conflict, CodeTermsChanged).
			WithFields(fault.Field{Name: "terms", Code: CodeTermsChanged})

	// SignUpClosed means that the operator has closed the sign-up.
	SignUpClosed = fault.New(fault.Forbidden, CodeSignUpClosed)

	// SignUpDomain means that the operator admits no address of this domain, for a new
	// account or for one that changes its address. Only a caller who has proven the address,
	// or whose account has it, gets it.
	SignUpDomain = fault.New(fault.Forbidden, CodeSignUpDomain)

	// SignUpTaken means that an account was made for the address after this
	// sign-up began, such as by a sign-up in another browser. Only a caller with
	// the code from the mailbox gets it.
	SignUpTaken = fault.New(fault.Conflict, CodeSignUpTaken)

	// SignUpUninvited means that an account needs an invitation, and the address has none, or its
	// link is valid no more. Only a caller who has proven the address or opened a link gets it.
	SignUpUninvited = fault.New(fault.Forbidden, CodeSignUpInvited)

	// InvitationOver is SignUpUninvited where the visitor may sign up without the invitation.
	InvitationOver = fault.New(fault.Forbidden, CodeInvitationOver)

	// SignUpFirst means that the link for the first admin is valid no more. Only a caller who has opened it gets it.
	SignUpFirst = fault.New(fault.Forbidden, CodeSignUpFirst)

	// SignUpDeclined means that the app refuses the sign-up, and SignUpSaid that it says why in its
	// own words. SignUpUnasked means that it did not answer. Only a caller who has proven the address
	// gets them.
	SignUpDeclined = fault.New(fault.Forbidden, CodeSignUpDeclined)
	SignUpSaid     = fault.New(fault.Forbidden, CodeSignUpSaid)
	SignUpUnasked  = fault.New(fault.Unavailable, CodeSignUpUnasked)

	// SignUpWaits says that an account was made, and waits for the approval of an admin. No step
	// fails with it: it has the words of the page.
	SignUpWaits = fault.New(fault.Forbidden, CodeSignUpWaits)

	// NoInvitation means that there is no such invitation that somebody could still use.
	NoInvitation = fault.New(fault.Missing, "invitation.not_found")

	// NoApp means that neither an app nor an OpenID client has an id.
	NoApp = fault.New(fault.Missing, CodeNoApp)

	// NotWaiting means that an account does not wait for an approval.
	NotWaiting = fault.New(fault.Conflict, "approval.not_waiting")

	// ClaimsChanged means that the claims of an account are no longer as a change of them expects.
	ClaimsChanged = fault.New(fault.Conflict, "claims.changed")

	// Undecided means that an account waits for an approval, and is closed already.
	Undecided = fault.New(fault.Conflict, "approval.undecided")

	// NoAdminFactor means that an admin has neither a second factor nor a passkey.
	NoAdminFactor = fault.New(fault.Forbidden, "admin.factor")

	// AdminSelf means that an admin would cease to be one. Another admin may do it.
	AdminSelf = fault.New(fault.Conflict, CodeAdminSelf)

	// AdminLast means that nobody could open the admin page anymore, now or after the end of
	// the other admins' accounts.
	AdminLast = fault.New(fault.Conflict, CodeAdminLast)

	// ImportUnread means that no file was read to its end.
	ImportUnread = fault.New(fault.Conflict, "import.unread")

	// ImportBad means that a file has lines that cannot be taken, and nobody has said to skip them.
	ImportBad = fault.New(fault.Conflict, "import.bad_lines")

	// ImportBusy means that another file of the same admin or key is read now, or several of others.
	ImportBusy = fault.New(fault.Limited, "import.busy").WithRetryAfter(readPause)

	// PortraitUnusable means that a file is not a picture that a user may upload.
	PortraitUnusable = fault.New(fault.Invalid, "picture.unusable")
)

// SignUpEnds returns the codes of the faults that end a sign-up, with or without a
// provider. Each begins with "signup.", and the key of its title
// ends in what follows.
func SignUpEnds() []string {
	return []string{CodeSignUpClosed, CodeSignUpDomain, CodeSignUpTaken, CodeSignUpInvited, CodeInvitationOver, CodeSignUpFirst, CodeSignUpWaits, CodeSignUpDeclined, CodeSignUpSaid, CodeSignUpUnasked}
}

// Bars returns the faults of mayRegister, and SignUpTaken: no other code and no other press changes them.
func Bars() []*fault.Error {
	return []*fault.Error{SignUpClosed, SignUpDomain, SignUpUninvited, InvitationOver, SignUpTaken}
}

// IsOvertaken tells Overtaken from another Unknown.
func IsOvertaken(err error) bool {
	return errors.Is(err, Unknown) && fault.From(err).Params["reason"] == Overtaken.Params["reason"]
}
