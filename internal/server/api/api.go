package api

import (
	"net/http"

	"portico/internal/flow"
	"portico/internal/server"
	"portico/internal/server/form"
	"portico/internal/session"
)

// API serves the JSON API. It is safe for concurrent use.
type API struct {
	actions  *form.Actions
	owner    *flow.Owner
	sessions *session.Keeper
	describe func(agent string) string
	place    func(network, locale string) string
	more     []form.Operation
}

// New returns an API. describe turns a User-Agent into words such as "Firefox
// on Linux". place returns the city and country of a network in words, "" if it is
// unknown. more are the operations of other handlers, for the description.
func New(actions *form.Actions, owner *flow.Owner, sessions *session.Keeper, describe func(agent string) string, place func(network, locale string) string, more []form.Operation) *API {
	return &API{actions: actions, owner: owner, sessions: sessions, describe: describe, place: place, more: more}
}

// Mount registers the routes.
func (a *API) Mount(m *server.Mux) {
	for _, r := range a.routes() {
		m.Handle(r.Method+" "+r.Path, r.handler, r.traits...)
	}
	m.Handle("GET /auth/api/openapi.json", a.openAPI)
}

// routes lists the whole API. Mount, openapi.json and the generated TypeScript
// types use it.
func (a *API) routes() []route {
	return []route{
		write("/auth/api/signin", "Sign in with address and password", a.actions.SignIn),
		write("/auth/api/signup", "Begin a registration", a.actions.SignUp),
		write("/auth/api/forgot-password", "Begin the recovery of an account", a.actions.ForgotPassword),
		write("/auth/api/signin-code", "Begin a sign-in by an emailed code", a.actions.SignInCode),
		write("/auth/api/verify-code", "Submit the mailed code", a.actions.VerifyCode),
		{form.Operation{Method: "POST", Path: "/auth/api/resend", Summary: "Mail another code", In: form.Resend{}, Out: Resent{}}, a.resend, nil},
		write("/auth/api/confirm-link", "Confirm the mailed link that was opened", a.actions.ConfirmLink),
		write("/auth/api/reset-password", "Set a new password", a.actions.ResetPassword),
		reply("/auth/api/signup/passkey/begin", "A challenge for the passkey of a new account", a.actions.BeginFirstPasskey),
		write("/auth/api/signup/passkey", "Add the passkey of a new account, in place of a password", a.actions.AddFirstPasskey),
		write("/auth/api/mfa", "Submit a second factor", a.actions.GiveFactor),
		write("/auth/api/mfa/restart", "End a pending second step", a.actions.DropFactor),
		write("/auth/api/terms", "Accept the terms of use", a.actions.AcceptTerms),
		write("/auth/api/terms/refuse", "End the step that asks for the terms of use", a.actions.RefuseTerms),
		write("/auth/api/protect", "Add the authenticator app that the account needs", a.actions.ProtectByApp),
		write("/auth/api/protect/later", "Put off a second factor that the account needs", a.actions.ProtectLater),
		write("/auth/api/protect/restart", "End the step that adds a second factor", a.actions.DropProtection),
		reply("/auth/api/protect/passkey/begin", "A challenge for a passkey that the account needs", a.actions.BeginProtection),
		write("/auth/api/protect/passkey", "Add the passkey that the account needs", a.actions.ProtectByPasskey),
		write("/auth/api/factors/add", "Begin to add an authenticator app", a.actions.AddFactor),
		write("/auth/api/factors/confirm", "Add the authenticator app that shows the code", a.actions.ConfirmFactor),
		write("/auth/api/factors/codes", "Replace the recovery codes", a.actions.MakeCodes),
		write("/auth/api/factors/saved", "End the page with the recovery codes", a.actions.SavedCodes),
		write("/auth/api/factors/remove", "Remove a second factor", a.actions.RemoveFactor),
		write("/auth/api/signout", "Sign out", a.actions.SignOut),
		write("/auth/api/account/password", "Set the password of the user", a.actions.ChangePassword),
		write("/auth/api/account/password/remove", "Remove the password of the user", a.actions.RemovePassword),
		write("/auth/api/account/addresses", "Mail a code to the address that the user wants to have", a.actions.ChangeAddress),
		write("/auth/api/not-me", "Take the account back from somebody else, with the emailed link that was opened", a.actions.RaiseAlarm),
		write("/auth/api/account/profile", "Set the name of the user, and the language of the emails", a.actions.ChangeProfile),
		write("/auth/api/account/tokens", "Make a personal access token of the user", a.actions.MakeToken),
		write("/auth/api/account/delete", "Close the account of the user, which is erased after 14 days", a.actions.DeleteAccount),
		write("/auth/api/keep", "Take a closed account back", a.actions.KeepAccount),
		write("/auth/api/keep/drop", "End the step that asks whether a closed account is kept", a.actions.DropKeep),
		reply("/auth/api/passkey/ask", "A challenge for a sign-in with a passkey", a.actions.AskPasskey),
		write("/auth/api/passkey", "Sign in with a passkey", a.actions.SignInPasskey),
		reply("/auth/api/account/passkeys/begin", "A challenge for a new passkey", a.actions.BeginPasskey),
		write("/auth/api/account/passkeys", "Add a passkey", a.actions.AddPasskey),
		write("/auth/api/account/passkeys/refuse", "Offer the user no passkey after a sign-in anymore", a.actions.RefusePasskeys),
		write("/auth/api/account/passkeys/rename", "Rename a passkey", a.actions.RenamePasskey),
		write("/auth/api/account/passkeys/remove", "Remove a passkey", a.actions.RemovePasskey),
		{form.Operation{Method: "GET", Path: "/auth/api/session", Summary: "The signed-in user and the session", Out: Current{}}, a.session, []server.Trait{server.Quiet}},
		{form.Operation{Method: "GET", Path: "/auth/api/sessions", Summary: "List the sessions of the user", Out: Sessions{}}, a.list, nil},
		{form.Operation{Method: "DELETE", Path: "/auth/api/sessions", Summary: "End all sessions but this one"}, a.endOthers, nil},
		{form.Operation{Method: "DELETE", Path: "/auth/api/sessions/{id}", Summary: "End one session"}, a.end, nil},
		{form.Operation{Method: "GET", Path: "/auth/api/flows/{id}", Summary: "The state of a pending flow", Out: form.Flow{}}, a.flow, nil},
	}
}

// route is one operation of the API with its handler.
type route struct {
	form.Operation
	handler server.Handler
	traits  []server.Trait
}

// write returns the operation of a form.
func write[Form any](path, summary string, run form.Action[Form]) route {
	var in Form
	return route{Operation: form.Operation{Method: "POST", Path: path, Summary: summary, In: in, Out: Next{}}, handler: step(run)}
}

// reply returns the operation of a form that has an answer of its own.
func reply[Form, Out any](path, summary string, run func(w http.ResponseWriter, r *http.Request, in Form) (Out, error)) route {
	var in Form
	var out Out
	return route{Operation: form.Operation{Method: "POST", Path: path, Summary: summary, In: in, Out: out}, handler: func(w http.ResponseWriter, r *http.Request) error {
		in, err := form.Receive[Form](r)
		if err != nil {
			return err
		}
		out, err := run(w, r, in)
		if err != nil {
			return err
		}
		return server.WriteJSON(w, http.StatusOK, out)
	}}
}

// Next is the next page after a step: a path on this origin, or the URL of an
// app that the operator allows.
type Next struct {
	Next string `json:"next"`
}

// Resent is the response to a resend. Next may name another flow than the
// request: the old one has no guesses left and was replaced.
type Resent struct {
	Next string    `json:"next"`
	Flow form.Flow `json:"flow"`
}

// Current is the signed-in user with the session.
type Current struct {
	User    User    `json:"user"`
	Session Session `json:"session"`
}

// User is a user as apps and screens see it.
type User struct {
	ID      string   `json:"id"`
	Email   string   `json:"email"`
	Name    string   `json:"name"`
	Roles   []string `json:"roles"`
	Picture string   `json:"picture,omitempty"` // its URL, if there is one
}

// Session is the caller's session. A reload of session.idle changes
// IdleExpiresAt at once, and ExpiresAt of new sessions only.
type Session struct {
	ID              string      `json:"id"`
	CreatedAt       form.Moment `json:"created_at"`
	AuthenticatedAt form.Moment `json:"authenticated_at"`
	ExpiresAt       form.Moment `json:"expires_at"`
	IdleExpiresAt   form.Moment `json:"idle_expires_at"`
	Methods         []string    `json:"methods"`
}

// Sessions lists where a user is signed in.
type Sessions struct {
	Sessions []Device `json:"sessions"`
}

// Device is a browser with a session.
type Device struct {
	ID         string      `json:"id"`
	Current    bool        `json:"current"`
	Browser    string      `json:"browser"`
	Place      string      `json:"place,omitempty"` // where it began, if that is known
	CreatedAt  form.Moment `json:"created_at"`
	LastSeenAt form.Moment `json:"last_seen_at"`
}

// step runs an action for a JSON request.
func step[Form any](run form.Action[Form]) server.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		in, err := form.Receive[Form](r)
		if err != nil {
			return err
		}
		next, err := run(w, r, in)
		if err != nil {
			return err
		}
		return server.WriteJSON(w, http.StatusOK, Next{Next: next})
	}
}

func (a *API) resend(w http.ResponseWriter, r *http.Request) error {
	in, err := form.Receive[form.Resend](r)
	if err != nil {
		return err
	}
	c := a.actions.Caller(w, r)
	result, err := a.actions.Flows.Resend(r.Context(), c, in.Flow)
	if err != nil {
		return err
	}
	a.actions.Give(w, result)
	if result.FlowID != in.Flow && result.Held == nil {
		a.actions.Say(w, form.CodeSent) // on a page that did not ask for this code
	}
	view, err := a.actions.Flows.View(r.Context(), c, result.FlowID)
	if err != nil {
		return err
	}
	return server.WriteJSON(w, http.StatusOK, Resent{Next: result.Next, Flow: form.FlowOf(view)})
}

func (a *API) flow(w http.ResponseWriter, r *http.Request) error {
	view, err := a.actions.Flows.View(r.Context(), a.actions.Caller(w, r), r.PathValue("id"))
	if err != nil {
		return err
	}
	return server.WriteJSON(w, http.StatusOK, form.FlowOf(view))
}
