package form

import (
	"context"
	"net/http"

	"portico/internal/flow"
	"portico/internal/pages"
	"portico/internal/server"
)

// The forms. The json tags are the names of the fields in both encodings;
// omitempty marks optional fields.
type (
	SignIn struct {
		Email         string `json:"email"`
		Password      string `json:"password"`
		ReturnTo      string `json:"return_to,omitempty"`
		Flow          string `json:"flow,omitempty"`
		MakesPasskeys string `json:"makes_passkeys,omitempty" enum:" yes"` // this browser can make a passkey
	}
	SignUp struct {
		Name     string `json:"name,omitempty"` // only if the operator asks for a name
		Email    string `json:"email"`
		Password string `json:"password"`
		Confirm  string `json:"confirm_password"`
		Passkey  string `json:"passkey,omitempty" enum:" yes"` // in place of a password
		Terms    string `json:"terms,omitempty"`               // the accepted version; only if the operator has terms
		ReturnTo string `json:"return_to,omitempty"`
		Link     string `json:"link,omitempty"` // mark of the opened link of an invitation
	}
	ForgotPassword struct {
		Email    string `json:"email"`
		ReturnTo string `json:"return_to,omitempty"`
	}
	SignInCode struct {
		Email    string `json:"email"`
		ReturnTo string `json:"return_to,omitempty"`
	}
	VerifyCode struct {
		Flow string `json:"flow"`
		Code string `json:"code"`
	}
	Resend struct {
		Flow string `json:"flow"`
	}
	ConfirmLink struct {
		Password string `json:"password,omitempty"`
		Link     string `json:"link,omitempty"` // mark of the link that the page was shown for
	}
	OpenedLink struct {
		Link string `json:"link,omitempty"` // as in ConfirmLink
	}
	SignOut struct {
		ReturnTo string `json:"return_to,omitempty"`
	}
	ResetPassword struct {
		Flow     string `json:"flow"`
		Password string `json:"password"`
		Confirm  string `json:"confirm_password"`
	}
)

// Action handles a form and returns the path or URL to go to. It sets the
// cookies of the response.
type Action[Form any] func(w http.ResponseWriter, r *http.Request, in Form) (next string, err error)

// Receive decodes the form of a request, in either encoding. It returns the
// errors of [server.Decode].
func Receive[Form any](r *http.Request) (in Form, err error) {
	return in, server.Decode(r, &in)
}

// SignIn is the action of /auth/signin.
func (a *Actions) SignIn(w http.ResponseWriter, r *http.Request, in SignIn) (string, error) {
	return a.step(w, r, func(ctx context.Context, c flow.Caller) (flow.Result, error) {
		return a.Flows.SignIn(ctx, c, flow.SignInInput{
			Email: in.Email, Password: in.Password, ReturnTo: a.Targets.Check(in.ReturnTo), FlowID: in.Flow, MakesPasskeys: in.MakesPasskeys != "",
		})
	})
}

// SignUp is the action of /auth/signup.
func (a *Actions) SignUp(w http.ResponseWriter, r *http.Request, in SignUp) (string, error) {
	invitation, err := a.Opened(w, r, in.Link)
	if err != nil {
		return "", err
	}
	return a.stepAndSay(w, r, Verified, func(ctx context.Context, c flow.Caller) (flow.Result, error) {
		return a.Flows.SignUp(ctx, c, flow.SignUpInput{
			Name: in.Name, Email: in.Email, Password: in.Password, Confirm: in.Confirm, Terms: in.Terms,
			Passkey: in.Passkey != "", ReturnTo: a.Targets.Check(in.ReturnTo), Invitation: invitation,
		})
	})
}

// ForgotPassword is the action of /auth/forgot-password.
func (a *Actions) ForgotPassword(w http.ResponseWriter, r *http.Request, in ForgotPassword) (string, error) {
	return a.step(w, r, func(ctx context.Context, c flow.Caller) (flow.Result, error) {
		return a.Flows.Recover(ctx, c, in.Email, a.Targets.Check(in.ReturnTo))
	})
}

// SignInCode is the action of /auth/signin-code.
func (a *Actions) SignInCode(w http.ResponseWriter, r *http.Request, in SignInCode) (string, error) {
	return a.step(w, r, func(ctx context.Context, c flow.Caller) (flow.Result, error) {
		return a.Flows.SendCode(ctx, c, in.Email, a.Targets.Check(in.ReturnTo))
	})
}

// VerifyCode is the action of the button Verify.
func (a *Actions) VerifyCode(w http.ResponseWriter, r *http.Request, in VerifyCode) (string, error) {
	return a.stepAndSay(w, r, Verified, func(ctx context.Context, c flow.Caller) (flow.Result, error) {
		return a.Flows.VerifyCode(ctx, c, in.Flow, in.Code)
	})
}

// Resend is the action of the button Resend.
func (a *Actions) Resend(w http.ResponseWriter, r *http.Request, in Resend) (string, error) {
	result, err := a.run(w, r, func(ctx context.Context, c flow.Caller) (flow.Result, error) {
		return a.Flows.Resend(ctx, c, in.Flow)
	})
	if err == nil && result.Held == nil {
		a.Say(w, CodeSent)
	}
	return result.Next, err
}

// ConfirmLink is the action of the page of a mailed link.
func (a *Actions) ConfirmLink(w http.ResponseWriter, r *http.Request, in ConfirmLink) (string, error) {
	return a.throughLink(w, r, in.Link, func(ctx context.Context, c flow.Caller, token string) (flow.Result, error) {
		return a.Flows.ConfirmLink(ctx, c, flow.LinkInput{Token: token, Password: in.Password})
	})
}

// ConfirmLinkAnew is ConfirmLink with a new password, for a visitor who does
// not know the password chosen in another browser.
func (a *Actions) ConfirmLinkAnew(w http.ResponseWriter, r *http.Request, in OpenedLink) (string, error) {
	return a.throughLink(w, r, in.Link, func(ctx context.Context, c flow.Caller, token string) (flow.Result, error) {
		return a.Flows.ConfirmLink(ctx, c, flow.LinkInput{Token: token, Anew: true})
	})
}

// ResendLink starts the flow of an expired link again.
func (a *Actions) ResendLink(w http.ResponseWriter, r *http.Request, in OpenedLink) (string, error) {
	return a.throughLink(w, r, in.Link, a.Flows.ResendLink)
}

// ResetPassword is the action of /auth/reset-password.
func (a *Actions) ResetPassword(w http.ResponseWriter, r *http.Request, in ResetPassword) (string, error) {
	return a.stepAndSay(w, r, PasswordSaved, func(ctx context.Context, c flow.Caller) (flow.Result, error) {
		return a.Flows.ResetPassword(ctx, c, flow.ResetInput{FlowID: in.Flow, Password: in.Password, Confirm: in.Confirm})
	})
}

// SignOut ends the session and clears the browser's data. Without a session it
// succeeds too. The next page knows the return target.
func (a *Actions) SignOut(w http.ResponseWriter, r *http.Request, in SignOut) (string, error) {
	if err := a.Flows.SignOut(r.Context(), a.Caller(w, r)); err != nil {
		return "", err
	}
	a.forget(w)
	return pages.ReturnTo(pages.SignedOut, a.Targets.Check(in.ReturnTo).String()), nil
}

// forget clears the session and the data of the browser. The flows that began in it are bound to
// its cookie and end with it: the next visitor must not go on with a recovery, an opened link
// or a second step. The former profile that can be brought back has the user's name, and the app that
// the user came from may say what the user does.
func (a *Actions) forget(w http.ResponseWriter) {
	a.session.Clear(w)
	a.browser.Clear(w)
	a.link.Clear(w)
	a.alarm.Clear(w)
	a.flow.Clear(w)
	a.undo.Clear(w)
	a.app.Clear(w)
	w.Header().Set("Clear-Site-Data", `"cache", "storage"`)
}

// Messages on a page about the step before it.
const (
	Verified      = "verified"
	PasswordSaved = "password"
	CodeSent      = "sent"
)

// stepAndSay is step for an action that may sign the user in. It says word if
// the next page is one of Portico's; an app's page would not show it, and a
// later page would.
func (a *Actions) stepAndSay(w http.ResponseWriter, r *http.Request, word string, run func(context.Context, flow.Caller) (flow.Result, error)) (string, error) {
	result, err := a.run(w, r, run)
	if result.New {
		word = Verified // nothing else was signed out
	}
	if err == nil && result.Session != nil {
		switch result.Next {
		case pages.Account:
			a.Say(w, word)
		case pages.Addresses:
			a.Say(w, AddressSaved)
		}
	}
	return result.Next, err
}

func (a *Actions) run(w http.ResponseWriter, r *http.Request, run func(context.Context, flow.Caller) (flow.Result, error)) (flow.Result, error) {
	result, err := run(r.Context(), a.Caller(w, r))
	if err != nil {
		a.keepBrowser(w, result.BrowserCookie)
		return flow.Result{}, err
	}
	a.Give(w, result)
	return result, nil
}

func (a *Actions) step(w http.ResponseWriter, r *http.Request, run func(context.Context, flow.Caller) (flow.Result, error)) (string, error) {
	result, err := a.run(w, r, run)
	return result.Next, err
}

// Opened returns the token of the kept link, "" for a page that was shown for none. If the page
// was shown for another link, it returns LinkChanged, because the button would do something that
// the page does not describe.
func (a *Actions) Opened(w http.ResponseWriter, r *http.Request, mark string) (token string, err error) {
	if mark == "" {
		return "", nil
	}
	if token = a.Link(w, r); mark != LinkMark(token) {
		return "", LinkChanged
	}
	return token, nil
}

// throughLink runs a step with the kept link, and forgets the link if the step
// succeeds and leads away from its page. It has the faults of Opened.
func (a *Actions) throughLink(w http.ResponseWriter, r *http.Request, mark string, run func(context.Context, flow.Caller, string) (flow.Result, error)) (string, error) {
	if _, err := a.Opened(w, r, mark); err != nil {
		return "", err
	}
	token := a.Link(w, r)
	next, err := a.stepAndSay(w, r, Verified, func(ctx context.Context, c flow.Caller) (flow.Result, error) { return run(ctx, c, token) })
	if err == nil && next != pages.ConfirmLink {
		a.link.Clear(w)
	}
	return next, err
}
