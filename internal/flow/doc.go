// Package flow owns the order of the steps that sign a visitor in or up, recover
// an account or join a provider. It also carries out what users, operators and OpenID
// clients change.
//
// Four types share one core. Each is for one kind of caller, so that the compiler
// refuses, for example, a page that deletes an account:
//
//	Flows     the steps of a visitor, and sessions
//	Owner     what a signed-in user reads and changes on the account pages
//	Operator  what an operator does to accounts, OpenID clients and signing keys.
//	          A change takes the Actor, who is named in its audit records
//	OpenID    what OpenID clients ask for
//
// A method that only one type needs belongs to that type, and all others to core.
// internal/archtest (holders_test.go) says which package may use which type.
//
// The pages (internal/pages), the methods behind them and the steps:
//
//	/auth/signin           SignIn          session, or mfa for an account with a
//	                                       second factor, or verify for an unproven sign-up,
//	                                       or terms if the current ones are not accepted,
//	                                       or keep if the owner has closed the account,
//	                                       or protect if it needs a second factor
//	/auth/signup           SignUp          verify
//	                       SignInPasskey   as SignIn, without the second factor
//	/auth/forgot-password  Recover         verify
//	/auth/signin-code      SendCode        verify; then done, as SignIn
//	/auth/verify-code      VerifyCode      signup: done, with an account and a session
//	                       Resend          recovery: reset
//	/auth/confirm-link     ConfirmLink     as VerifyCode, in any browser
//	                       ResendLink
//	/auth/account/addresses ChangeAddress  verify; then done, with the new address
//	/auth/not-me           RaiseAlarm      verify, of a recovery
//	/auth/reset-password   ResetPassword   done, with a session
//	/auth/signup-passkey   AddFirstPasskey done, with a session
//	/auth/mfa              GiveFactor      done, with a session
//	                       StepUp          a session that counts the factor
//	                       StartAgain      done, also at the next three
//	/auth/terms            AcceptTerms     done, with a session, or with an account and one
//	/auth/protect          ProtectByApp    done, with a session; then codes
//	                       ProtectByPasskey done, with a session
//	                       ProtectLater    done, with a session
//	/auth/keep             KeepAccount     done, with a session, or terms
//	/auth/account/factors  BeginFactor     confirm
//	                       ConfirmFactor   codes, or done
//	                       MakeCodes       codes
//	                       SavedCodes      done
//	/auth/provider/{id}    StartProvider   callback
//	                       FinishProvider  exchange; then done with a session, or join:
//	                                       the owner of the address signs in first
//	/auth/account/providers ConnectProvider callback; then FinishProvider: done
//	/auth/enter            IssueTicket     takes a session to the host of an app
//	/auth/arrive           RedeemTicket, RedeemAdmission
//
// The package joins the domain packages, which do not import each other. It has
// no SQL, no HTTP and no texts. What one domain package can do alone is left to
// that package.
//
// A pending flow is one row: kind, step, sealed data, return target, hash of the
// browser cookie, expiry. Its id is in the URL, so each tab has its own flow, and
// a reload shows the step that the flow is at. Steps never call each other. A
// step does its own work and calls advance in step.go, which is one conditional
// update that one caller wins.
//
// Invariants:
//   - A step is one transaction. It contains the emails, audit records and
//     sessions that the step causes.
//   - A guess of a password is counted in a transaction before the check. A guess
//     of a code is counted and checked in one transaction, which commits the
//     count even if it refuses the guess.
//   - Known and unknown addresses take the same steps, write the same rows and
//     get the same response. Only the mailbox learns the truth.
//   - An account exists only after its address was proven, so a password that a
//     stranger chose never opens it.
//   - A browser that waits for a second factor has no session. A recovery has already replaced the
//     password then, and ended the sessions: its mailbox was proven. admitted asks for it after every proof that is not
//     strong itself, and every way to a session ends in admitted. A browser that the account trusts is
//     not asked; its session counts one proof.
//   - Nor has it one before it has accepted the terms: admitted asks for them after
//     every kind of sign-in. A sign-up makes no account before they are accepted.
//   - An account that needs a second factor and has none gets no session until it has
//     one, or its owner puts it off within the grace period: admitted asks after the terms.
//   - An account that its owner has closed gets no session until the owner chooses
//     to keep it: admitted asks before the terms.
//   - A step is judged where it ends, by the functions of judge.go. They alone make the
//     accounts that it may change or open.
//   - A change of how an account is signed in to ends the flows that began before it, and
//     one that removes a way to sign in ends the sessions. Each keeps the version that it saw.
//     docs/pending-steps.md has all steps and changes.
package flow
