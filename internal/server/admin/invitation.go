package admin

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"portico/internal/flow"
	"portico/internal/invitation"
	"portico/internal/server/form"
)

// AdminInvitations is a page of the list of invitations.
type AdminInvitations struct {
	Invitations []AdminInvitation `json:"invitations"`
	Next        string            `json:"next,omitempty"` // the parameter after of the next page
	// Searched says that the page has fewer invitations because the search reached its bound.
	Searched bool `json:"searched,omitempty"`
}

// AdminInvitation is an invitation, a link for many, or the link for the first admin.
type AdminInvitation struct {
	ID      string      `json:"id"`
	Address string      `json:"address"` // "" for a link
	First   bool        `json:"first"`   // whether it is the link for the first admin
	Roles   []string    `json:"roles"`
	State   string      `json:"state" enum:"open sent delivered refused opened used ended"`
	Answer  string      `json:"answer"` // of the mail server
	Used    int64       `json:"used"`   // accounts that it has made
	Most    int64       `json:"most"`   // and may make
	SentAt  form.Moment `json:"sent_at"`
	EndsAt  form.Moment `json:"ends_at"`
	By      string      `json:"by"` // who invites
}

// AdminInvite has a list of addresses, one a line or as CSV, and what their accounts get.
type AdminInvite struct {
	Addresses     string   `json:"addresses"`
	Roles         []string `json:"roles,omitempty"`
	AccountEndsAt string   `json:"account_ends_at,omitempty"` // when the accounts close (RFC 3339)
	Text          string   `json:"text,omitempty"`            // in the email
	Try           bool     `json:"try,omitempty"`             // only judges the lines
}

// AdminJudged has the lines of a list, with what happens to each.
type AdminJudged struct {
	Lines []AdminLine `json:"lines"`
}

// AdminLine is an address of a list.
type AdminLine struct {
	Line    int    `json:"line"`
	Address string `json:"address"`
	Verdict string `json:"verdict" enum:"ok malformed exists invited twice domain held unsent"`
}

// AdminInviteMany is a link for many people.
type AdminInviteMany struct {
	Roles         []string `json:"roles,omitempty"`
	AccountEndsAt string   `json:"account_ends_at,omitempty"`
	Uses          string   `json:"uses"`    // a number: how many accounts it can make
	EndsAt        string   `json:"ends_at"` // of the link (RFC 3339)
}

// AdminLinkMade has the link, which is shown once.
type AdminLinkMade struct {
	Link string `json:"link"`
}

func (AdminLinkMade) shownOnce() {}

// maxList is the size of a list with invitation.MostLines of the longest addresses, each with a name.
const maxList = 256 << 10

// inviting are the operations on invitations and approvals.
func (a *Admin) inviting() []operation {
	list := Root + "/invitations"
	return []operation{
		read(readInvitations, list, "List invitations, the newest first", AdminInvitations{}, a.invitations, "state", "after", "limit").choosing(map[string][]string{"state": each(invitation.Stages(), func(s invitation.Stage) string { return string(s) })}),
		change(list, "Invite a list of addresses, or judge its lines", AdminJudged{}, a.invite).needs(writeInvitations).upTo(maxList),
		change(list+"/link", "Make a link with which many people sign up", AdminLinkMade{}, a.inviteMany).needs(writeInvitations),
		change(list+"/{id}/again", "Send an invitation again, which ends its former link", none{}, a.inviteAgain).needs(writeInvitations),
		change(list+"/{id}/end", "End an invitation", none{}, a.endInvitation).needs(writeInvitations),
		change(Root+"/people/{id}/refuse", "Delete an account that waits for an approval. To approve it, enable it", none{}, a.refuse),
	}
}

func (a *Admin) invitations(r *http.Request, _ flow.Actor) (page AdminInvitations, err error) {
	values, limit, err := paging(r, "state")
	if err != nil {
		return page, err
	}
	stage := invitation.Stage(values["state"])
	if stage != "" && !slices.Contains(invitation.Stages(), stage) {
		return page, wrongParameter("state")
	}
	found, err := a.Operator.Invitations(r.Context(), stage, values["after"], limit)
	page.Next, page.Searched = found.Next, found.Partial
	page.Invitations = each(found.Items, func(i flow.Invited) AdminInvitation {
		return AdminInvitation{
			ID: i.ID, Address: i.Mail, First: i.First(), Roles: filled(i.Roles), State: string(i.Stage), Answer: i.Answer, Used: i.Used, Most: i.Most,
			SentAt: form.MomentOf(i.CreatedAt), EndsAt: form.MomentOf(i.EndsAt), By: i.By,
		}
	})
	return page, err
}

func (a *Admin) invite(r *http.Request, by flow.Actor, _ string, in AdminInvite) (AdminJudged, error) {
	d, err := draftOf(in.Roles, in.AccountEndsAt)
	if err != nil {
		return AdminJudged{}, err
	}
	d.Words = in.Text
	var judged []flow.JudgedLine
	if in.Try {
		judged, err = a.Operator.TryInvite(r.Context(), by, in.Addresses, d)
	} else {
		judged, err = a.Operator.Invite(r.Context(), by, in.Addresses, d)
	}
	return AdminJudged{each(judged, func(l flow.JudgedLine) AdminLine {
		return AdminLine{l.Number, l.Address, string(l.Verdict)}
	})}, err
}

func (a *Admin) inviteMany(r *http.Request, by flow.Actor, _ string, in AdminInviteMany) (AdminLinkMade, error) {
	d, err := draftOf(in.Roles, in.AccountEndsAt)
	if err == nil {
		d.EndsAt, err = timeField("ends_at", in.EndsAt)
	}
	if err != nil {
		return AdminLinkMade{}, err
	}
	if d.Uses, err = strconv.ParseInt(in.Uses, 10, 64); err != nil {
		return AdminLinkMade{}, wrongParameter("uses")
	}
	link, err := a.Operator.InviteMany(r.Context(), by, d)
	return AdminLinkMade{link}, err
}

func draftOf(roles []string, ends string) (flow.Draft, error) {
	at, err := timeField("account_ends_at", ends)
	return flow.Draft{Roles: roles, AccountEnds: at}, err
}

// timeField parses a time of a body.
func timeField(name, text string) (time.Time, error) {
	at, err := timeOf(text)
	if err != nil {
		err = wrongParameter(name)
	}
	return at, err
}

func (a *Admin) inviteAgain(r *http.Request, by flow.Actor, id string, _ none) (none, error) {
	return none{}, a.Operator.InviteAgain(r.Context(), by, id)
}

func (a *Admin) endInvitation(r *http.Request, by flow.Actor, id string, _ none) (none, error) {
	return none{}, a.Operator.EndInvitation(r.Context(), by, id)
}

func (a *Admin) refuse(r *http.Request, by flow.Actor, id string, _ none) (none, error) {
	return none{}, a.Operator.RefuseUser(r.Context(), by, id)
}
