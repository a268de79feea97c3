package admin

import (
	"net/http"
	"net/url"

	"portico/internal/account"
	"portico/internal/flow"
	"portico/internal/job"
	"portico/internal/server/form"
)

// AdminBulk is a change of many people: of those it names, or of all who match a filter.
type AdminBulk struct {
	Action string   `json:"action" enum:"end-sessions disable enable give-role take-role"`
	Role   string   `json:"role,omitempty"` // to give or take
	People []string `json:"people,omitempty"`
	All    bool     `json:"all,omitempty"`    // in place of people
	Filter string   `json:"filter,omitempty"` // with all: the query of the list of people, "" for everybody
	Try    bool     `json:"try,omitempty"`    // only tells what would be skipped
}

// AdminJobs is the list of jobs.
type AdminJobs struct {
	Jobs []AdminJob `json:"jobs"`
}

// AdminJob is a job. One that was only tried has the state "tried" and no id.
type AdminJob struct {
	ID        string      `json:"id"`
	Action    string      `json:"action" enum:"end-sessions disable enable give-role take-role import"`
	Role      string      `json:"role"`
	State     string      `json:"state" enum:"tried draft running done failed"`
	Reason    string      `json:"reason" enum:" account role changed key file stopped restored"` // why it failed
	Done      int64       `json:"done"`                                                          // people, including the skipped ones
	Total     int64       `json:"total"`
	More      bool        `json:"more"`  // there may be more than total
	Skips     int64       `json:"skips"` // people who are skipped
	Skipped   []AdminSkip `json:"skipped"`
	CreatedAt form.Moment `json:"created_at"`
	EndedAt   form.Moment `json:"ended_at" empty:"true"`
	By        string      `json:"by"` // the address of the admin, or the name of the key
}

// AdminSkip is a person whom a job skips. A job names the first ones.
type AdminSkip struct {
	ID      string `json:"id"`
	Address string `json:"address"` // "" if there is no such account
	Reason  string `json:"reason" enum:"self same leaving waiting full missing limited refused"`
}

func jobOf(t flow.Task) AdminJob {
	j := AdminJob{
		ID: t.ID, Action: string(t.Kind), Role: t.Role, State: string(t.State), Reason: t.Why, Done: t.Done,
		Total: t.Total, More: t.More, Skips: t.Skips, CreatedAt: form.MomentOf(t.CreatedAt), EndedAt: form.MomentOf(t.EndedAt), By: t.By,
	}
	switch {
	case t.Kind == flow.JobImport:
	case t.State == job.Done:
		j.Total = t.Done // people may have gone since the beginning
	default:
		j.Total = max(t.Total, t.Done)
	}
	j.Skipped = each(t.Skipped, func(s job.Skip) AdminSkip { return AdminSkip{s.ID, t.Addresses[s.ID], s.Why} })
	return j
}

func (a *Admin) begin(r *http.Request, by flow.Actor, _ string, in AdminBulk) (AdminJob, error) {
	b, err := bulkOf(in)
	if err != nil {
		return AdminJob{}, err
	}
	if !in.Try {
		t, err := a.Operator.BeginBulk(r.Context(), by, b)
		return jobOf(t), err
	}
	t, err := a.Operator.TryBulk(r.Context(), by, b)
	tried := jobOf(t)
	tried.State = "tried"
	return tried, err
}

func bulkOf(in AdminBulk) (flow.Bulk, error) {
	b := flow.Bulk{Kind: job.Kind(in.Action), Role: in.Role, People: in.People}
	if in.All == (len(in.People) > 0) || !in.All && in.Filter != "" {
		return b, wrongParameter("people")
	}
	query, err := url.ParseQuery(in.Filter)
	if err != nil {
		return b, wrongParameter("filter")
	}
	b.Query, err = filter(query)
	b.Query.After, b.Query.Limit = "", account.MostPeople
	return b, err
}

func (a *Admin) job(r *http.Request, _ flow.Actor) (AdminJob, error) {
	t, err := a.Operator.Job(r.Context(), r.PathValue("id"))
	return jobOf(t), err
}

func (a *Admin) stop(r *http.Request, by flow.Actor, id string, _ none) (AdminJob, error) {
	t, err := a.Operator.StopJob(r.Context(), by, id)
	return jobOf(t), err
}

func (a *Admin) jobs(r *http.Request, _ flow.Actor) (AdminJobs, error) {
	list, err := a.Operator.Jobs(r.Context())
	return AdminJobs{each(list, jobOf)}, err
}
