package admin

import (
	"net/http"

	"portico/internal/audit"
	"portico/internal/flow"
	"portico/internal/server/form"
)

// operation is an operation of the API with its handler.
type operation struct {
	form.Operation
	run func(r *http.Request, by flow.Actor) (any, error)
	// stream writes a file in place of run, for as long as the client reads it.
	stream func(w http.ResponseWriter, r *http.Request, by flow.Actor) error
}

// operations lists the whole API.
func (a *Admin) operations() []operation {
	person := Root + "/people/{id}"
	return []operation{
		read(Root+"/people", "List people", a.people, queryOf...),
		read(person, "A person with everything that is known for support", a.person),
		change(person+"/disable", "Disable an account and end its sessions", a.disable),
		change(person+"/enable", "Enable a disabled account", a.enable),
		change(person+"/roles", "Replace the roles of a person", a.setRoles),
		change(person+"/name", "Set the name of a person", a.setName),
		change(person+"/address", "Give a person another address, for which the admin vouches", a.setAddress),
		change(person+"/ends", "Set when an account closes, or take its end away", a.setEnd),
		change(person+"/reset-factors", "Remove all second factors and passkeys of a person", a.resetFactors),
		change(person+"/lift-limits", "Lift the rate limits of a person", a.liftLimits),
		change(person+"/link", "Mail a person a link to get in", a.mailLink),
		change(person+"/delete", "Disable an account, and erase it after 14 days", a.remove),
		change(person+"/emails/{email}/again", "Send an email again that could not be delivered", a.mailAgain),
		change(person+"/restore", "Undo the deletion of an account", a.restore),
		change(person+"/end-sessions", "End all sessions of a person, in every app", a.endSessions),
		read(Root+"/jobs", "The running jobs, and some that have ended", a.jobs),
		read(Root+"/jobs/{id}", "A job", a.job),
		change(Root+"/jobs", "Begin a job that changes many people, or try it", a.begin),
		read(Root+"/record", "Search the record, the newest first", a.record, recordOf...),
		file(Root+"/record.csv", "All records that match, as CSV", a.export(audit.CSV, "text/csv; charset=utf-8"), wanted...),
		file(Root+"/record.jsonl", "All records that match, as JSON lines", a.export(audit.JSONLines, "application/jsonl"), wanted...),
		read(Root+"/system", "How the installation is", a.system),
		change(Root+"/system/mail/{id}/again", "Send an email again that could not be delivered", a.retry),
	}
}

// Operations describes the API for openapi.json and the generated types.
func Operations() []form.Operation {
	var all []form.Operation
	for _, o := range (&Admin{}).operations() {
		all = append(all, o.Operation)
	}
	return all
}

// read returns an operation that changes nothing.
func read[Out any](path, summary string, run func(r *http.Request, by flow.Actor) (Out, error), query ...string) operation {
	var out Out
	return operation{
		Operation: form.Operation{Method: http.MethodGet, Path: path, Summary: summary, Query: query, Out: out},
		run:       func(r *http.Request, by flow.Actor) (any, error) { return run(r, by) },
	}
}

// file returns an operation that streams a file.
func file(path, summary string, stream func(w http.ResponseWriter, r *http.Request, by flow.Actor) error, query ...string) operation {
	return operation{
		Operation: form.Operation{Method: http.MethodGet, Path: path, Summary: summary, Query: query, Out: form.File(nil)}, stream: stream,
	}
}

// change returns an operation that has a body, on what its path names, by default a person.
func change[In, Out any](path, summary string, run func(r *http.Request, by flow.Actor, id string, in In) (Out, error)) operation {
	var in In
	var out Out
	return operation{
		Operation: form.Operation{Method: http.MethodPost, Path: path, Summary: summary, In: in, Out: out},
		run: func(r *http.Request, by flow.Actor) (any, error) {
			in, err := form.Receive[In](r)
			if err != nil {
				return nil, err
			}
			return run(r, by, r.PathValue("id"), in)
		},
	}
}
