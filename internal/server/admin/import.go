package admin

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"portico/internal/flow"
	"portico/internal/job"
	"portico/internal/server"
)

// AdminImporting says how the people of a file are imported.
type AdminImporting struct {
	// What has written the file. Otherwise its content tells
	From        string   `json:"from,omitempty" enum:" keycloak auth0 clerk firebase supabase kratos authelia better-auth zitadel pocket-id cognito csv portico"`
	Issuer      string   `json:"issuer,omitempty"` // of the former ids, where the file does not name it
	Update      bool     `json:"update,omitempty"` // change accounts that exist and differ
	KeepSubject bool     `json:"keep_subject,omitempty"`
	Parameters  []string `json:"parameters,omitempty"` // NAME=VALUE: what the export does not say about itself

	// A person of the file, whose password there has to fit before anybody is imported
	KnownEmail    string `json:"known_email,omitempty"`
	KnownPassword string `json:"known_password,omitempty"`
}

var errParameter = errors.New("each parameter is NAME=VALUE")

// AdminImportStart begins an import.
type AdminImportStart struct {
	SkipBad bool `json:"skip_bad,omitempty"` // although some lines have a problem
}

// AdminImport is an import of a file. Its job has the same id.
type AdminImport struct {
	ID       string         `json:"id"`
	State    string         `json:"state" enum:"open checked running done failed"`
	From     string         `json:"from"`
	Update   bool           `json:"update"`
	Plan     AdminImportSum `json:"plan"`     // what the dry run has found
	Did      AdminImportSum `json:"did"`      // what was done so far
	Problems []AdminProblem `json:"problems"` // of the first lines that have one; those that are left
	Job      AdminJob       `json:"job"`
}

// AdminImportSum counts the people of a file.
type AdminImportSum struct {
	Created   int64        `json:"created"`
	Changed   int64        `json:"changed"`
	Unchanged int64        `json:"unchanged"`
	Refused   int64        `json:"refused"`        // lines with a problem
	With      []AdminCount `json:"with"`           // people without a problem, by what they bring and what is to be known of them
	Changes   []AdminCount `json:"changes"`        // accounts, by changed field
	LeftOut   []AdminCount `json:"left_out"`       // people, by what was left out
	Unknown   []AdminCount `json:"unknown_fields"` // people, by field

	Missing []AdminMissing `json:"missing_fields"`
}

// AdminMissing is a field that nobody in the file has.
type AdminMissing struct {
	Field  string `json:"field"`
	Brings string `json:"brings"` // what nobody brings without it
}

// AdminCount is a count by a name.
type AdminCount struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// AdminProblem is why a line cannot be taken.
type AdminProblem struct {
	Where  string `json:"where"` // such as "line 5"
	Field  string `json:"field"` // "" for the whole line
	Value  string `json:"value"` // shortened; never a secret
	Reason string `json:"reason"`
}

// importing are the operations on imports.
func (a *Admin) importing() []operation {
	list := Root + "/imports"
	return []operation{
		change(list, "Open an import of people. It replaces one of the same admin or key that has not begun", AdminImport{}, a.openImport).needs(importPeople),
		upload(importPeople, list+"/{id}/file", "Send the file of an import, at most 32 MiB. The answer is a dry run", AdminImport{}, a.readImport),
		change(list+"/{id}/start", "Begin an import, as a job", AdminImport{}, a.startImport).needs(importPeople),
		read(importPeople, list+"/{id}", "An import of the same admin or key", AdminImport{}, a.imported).poll(),
		file(importPeople, list+"/{id}/rejected", "The lines of an import that have a problem", a.rejected),
	}
}

func (a *Admin) openImport(r *http.Request, by flow.Actor, _ string, in AdminImporting) (AdminImport, error) {
	parameters := map[string]string{}
	for _, p := range in.Parameters {
		name, value, ok := strings.Cut(p, "=")
		if !ok {
			return AdminImport{}, flow.BadImport("parameters", errParameter)
		}
		parameters[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return importOf(a.Operator.OpenImport(r.Context(), by, flow.ImportOrder{
		From: in.From, Issuer: in.Issuer, Update: in.Update, KeepSubject: in.KeepSubject,
		ImportSecrets: flow.ImportSecrets{Parameters: parameters, Known: flow.Known{Email: in.KnownEmail, Password: in.KnownPassword}},
	}))
}

func (a *Admin) readImport(w http.ResponseWriter, r *http.Request, by flow.Actor) error {
	body, err := server.Incoming(w, r, flow.MostFile)
	if err != nil {
		return err
	}
	out, err := importOf(a.Operator.ReadImport(r.Context(), by, r.PathValue("id"), body))
	if err != nil {
		return err
	}
	return server.WriteJSON(w, http.StatusOK, out)
}

func (a *Admin) startImport(r *http.Request, by flow.Actor, id string, in AdminImportStart) (AdminImport, error) {
	return importOf(a.Operator.StartImport(r.Context(), by, id, in.SkipBad))
}

func (a *Admin) imported(r *http.Request, by flow.Actor) (AdminImport, error) {
	return importOf(a.Operator.ImportJob(r.Context(), by, r.PathValue("id")))
}

// rejected streams the lines. An error after the first part ends the connection.
func (a *Admin) rejected(w http.ResponseWriter, r *http.Request, by flow.Actor) error {
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", `attachment; filename="people.rejected"`)
	return a.Operator.Rejected(r.Context(), by, r.PathValue("id"), w, func() error { return a.flush(w, r) })
}

func importOf(i flow.ImportJob, err error) (AdminImport, error) {
	if err != nil {
		return AdminImport{}, err
	}
	out := AdminImport{ID: i.ID, State: string(i.State), From: i.From, Update: i.Update, Plan: sumOf(i.Plan), Did: sumOf(i.Did), Job: jobOf(i.Task)}
	if i.State == job.Draft {
		out.State, out.Job.State = "open", "draft"
		if i.Read {
			out.State = "checked"
		}
	}
	out.Problems = each(i.Problems, func(p flow.ImportProblem) AdminProblem { return AdminProblem{p.Where, p.Field, p.Value, p.Reason} })
	return out, nil
}

func sumOf(m *flow.ImportSum) AdminImportSum {
	with := each(flow.Traits(), func(trait string) AdminCount { return AdminCount{trait, m.With[trait]} })
	missing := each(slices.Sorted(maps.Keys(m.Missing)), func(field string) AdminMissing { return AdminMissing{field, m.Missing[field]} })
	return AdminImportSum{m.Created, m.Changed, m.Unchanged, m.Refused, with, countsOf(m.Changes), countsOf(m.LeftOut), countsOf(m.Unknown), missing}
}

func countsOf(counts map[string]int64) []AdminCount {
	return each(slices.Sorted(maps.Keys(counts)), func(name string) AdminCount { return AdminCount{name, counts[name]} })
}
