package admin

import (
	"net/http"
	"slices"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/flow"
	"portico/internal/server/form"
)

// operation is an operation of the API, with the right that it needs.
type operation struct {
	form.Operation
	run func(r *http.Request, by flow.Actor) (any, error)
	// stream writes or reads a file in place of run, for as long as the client reads or sends it.
	stream  func(w http.ResponseWriter, r *http.Request, by flow.Actor) error
	maxBody int64 // in bytes, 0 for the size of other forms
	polled  bool  // by a page that nobody may be at, as long as a job runs
}

// The scopes.
const (
	readPeople       = "people:read"
	writePeople      = "people:write"
	readApps         = "apps:read"
	writeApps        = "apps:write"
	readRecord       = "record:read"
	readSystem       = "system:read"
	writeSystem      = "system:write"
	readInvitations  = "invitations:read"
	writeInvitations = "invitations:write"
	readWebhooks     = "webhooks:read"
	writeWebhooks    = "webhooks:write"
	importPeople     = "import"
	noKey            = "" // of an operation for admins only
)

// operations lists the whole API.
func (a *Admin) operations() []operation {
	person := Root + "/people/{id}"
	return slices.Concat(a.inviting(), a.importing(), []operation{
		read(readPeople, Root+"/people", "List people", AdminPeople{}, a.people, queryOf...).choosing(account.Choices()),
		read(readPeople, person, "A person with everything that is known for support", AdminPerson{}, a.person),
		change(person+"/disable", "Disable an account and end its sessions. One that waits for an approval is refused instead", none{}, a.disable),
		change(person+"/enable", "Enable a disabled account, or approve one that waits", none{}, a.enable),
		change(person+"/name", "Set the name of a person", none{}, a.setName),
		change(person+"/claims", "Set the claims of an account for apps, one JSON object of at most 4 KiB", none{}, a.setClaims),
		change(person+"/address", "Give a person another address, for which the admin vouches", none{}, a.setAddress),
		change(person+"/ends", "Set when an account closes, or take its end away", none{}, a.setEnd),
		change(person+"/reset-factors", "Remove all second factors and passkeys of a person", AdminRemoved{}, a.resetFactors).needs(noKey),
		change(person+"/lift-limits", "Lift the rate limits of a person", none{}, a.liftLimits),
		change(person+"/link", "Mail a person a link to get in", AdminLinked{}, a.mailLink),
		change(person+"/delete", "Disable an account, and erase it after 14 days", AdminErased{}, a.remove),
		change(person+"/emails/{email}/again", "Send an email again that could not be delivered", none{}, a.mailAgain),
		change(person+"/restore", "Undo the deletion of an account", none{}, a.restore),
		change(person+"/end-sessions", "End all sessions of a person, in every app", AdminEnded{}, a.endSessions),
		read(readPeople, Root+"/jobs", "The running jobs, and some that have ended", AdminJobs{}, a.jobs).poll(),
		read(readPeople, Root+"/jobs/{id}", "A job", AdminJob{}, a.job),
		change(Root+"/jobs", "Begin a job that changes many people, or try it", AdminJob{}, a.begin),
		change(Root+"/jobs/{id}/stop", "Stop a job before its end. What it has changed stays", AdminJob{}, a.stop),
		change(person+"/roles", "Give a person roles, or take them away", none{}, a.changeRoles),
		read(readApps, Root+"/apps", "List apps and OpenID clients", AdminListedApps{}, a.apps),
		read(readPeople, Root+"/apps/{id}/explain", "Whether a person may open an app and why, and which claims it gets", AdminExplained{}, a.explain, explainOf...),
		change(Root+"/apps/{id}/delete", "Delete a client that has registered itself", none{}, a.deleteClient).needs(writeApps),
		read(readRecord, Root+"/record", "Search the record, the newest first", AdminRecord{}, a.record, recordOf...),
		file(readRecord, Root+"/record.csv", "All records that match, as CSV", a.export(audit.CSV, "text/csv; charset=utf-8"), wanted...),
		file(readRecord, Root+"/record.jsonl", "All records that match, as JSON lines", a.export(audit.JSONLines, "application/jsonl"), wanted...),
		read(readSystem, Root+"/system", "How the installation is", AdminSystem{}, a.system),
		change(Root+"/system/mail/{id}/again", "Send an email again that could not be delivered", none{}, a.retry).needs(writeSystem),
		read(readWebhooks, Root+"/webhooks", "List the webhooks with what waits for each", AdminWebhooks{}, a.webhooks),
		read(readWebhooks, Root+"/webhooks/{id}", "The events of a webhook with what became of them, the newest first", AdminDeliveries{}, a.deliveries, "after", "limit"),
		change(Root+"/webhooks/{id}/test", "Send a webhook a test, whose answer is returned", AdminWebhookAnswer{}, a.testWebhook).needs(writeWebhooks),
		change(Root+"/webhooks/{id}/retry", "Send an event again that has ended, or up to 50 that were dropped", AdminRetried{}, a.retryWebhook).needs(writeWebhooks),
		read(noKey, Root+"/keys", "List the API keys, the newest first", AdminKeys{}, a.keys, "after", "limit"),
		change(Root+"/keys", "Make an API key", AdminKeyMade{}, a.makeKey).needs(noKey),
		change(Root+"/keys/{id}/rotate", "Give an API key another secret and another end", AdminKeyMade{}, a.rotateKey).needs(noKey),
		change(Root+"/keys/{id}/end-old", "End the old secret of an API key", none{}, a.endOldSecret).needs(noKey),
		change(Root+"/keys/{id}/end", "End an API key", none{}, a.endKey).needs(noKey),
	})
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
func read[Out any](scope, path, summary string, out Out, run func(r *http.Request, by flow.Actor) (Out, error), query ...string) operation {
	return operation{
		Operation: form.Operation{Method: http.MethodGet, Path: path, Summary: summary, Query: query, Out: out, Access: form.Access{Admin: true, Scope: scope}},
		run:       func(r *http.Request, by flow.Actor) (any, error) { return run(r, by) },
	}
}

// file returns an operation that streams a file.
func file(scope, path, summary string, stream func(w http.ResponseWriter, r *http.Request, by flow.Actor) error, query ...string) operation {
	return operation{
		Operation: form.Operation{Method: http.MethodGet, Path: path, Summary: summary, Query: query, Out: form.File(nil), Access: form.Access{Admin: true, Scope: scope}}, stream: stream,
	}
}

// upload returns an operation that takes a file for as long as it comes.
func upload[Out any](scope, path, summary string, out Out, run func(w http.ResponseWriter, r *http.Request, by flow.Actor) error) operation {
	return operation{
		Operation: form.Operation{Method: http.MethodPost, Path: path, Summary: summary, In: form.File(nil), Out: out, Access: form.Access{Admin: true, Scope: scope}}, stream: run,
	}
}

// change returns an operation that has a body, on what its path names, by default a person.
func change[In, Out any](path, summary string, out Out, run func(r *http.Request, by flow.Actor, id string, in In) (Out, error)) operation {
	var body In
	return operation{
		Operation: form.Operation{Method: http.MethodPost, Path: path, Summary: summary, In: body, Out: out, Access: form.Access{Admin: true, Scope: writePeople}},
		run: func(r *http.Request, by flow.Actor) (any, error) {
			in, err := form.Receive[In](r)
			if err != nil {
				return nil, err
			}
			return run(r, by, r.PathValue("id"), in)
		},
	}
}

// upTo returns the operation with another size limit of its body, in bytes.
func (o operation) upTo(n int64) operation {
	o.maxBody = n
	return o
}

// choosing returns the operation with the values of its parameters that take one of a few.
func (o operation) choosing(choices map[string][]string) operation {
	o.Choices = choices
	return o
}

// poll returns the operation as one that does not count as use of the page.
func (o operation) poll() operation {
	o.polled = true
	return o
}

// needs returns the operation with another scope, "" if no key may call it.
func (o operation) needs(scope string) operation {
	o.Access.Scope = scope
	return o
}
