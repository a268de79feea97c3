package admin

import (
	"cmp"
	"errors"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/server"
	"portico/internal/server/form"
)

// AdminRecord is a page of the record, the newest first.
type AdminRecord struct {
	Facts []AdminFact `json:"facts"`
	Next  string      `json:"next,omitempty"` // the parameter after of the next page
	// Searched says that the page has fewer records because the search reached its bound.
	Searched bool `json:"searched,omitempty"`
}

// The parts of the record.
type (
	AdminFact struct {
		ID        string       `json:"id"`
		At        form.Moment  `json:"at"`
		Kind      string       `json:"kind"`  // the name of the event
		Words     string       `json:"words"` // what happened
		Person    AdminSubject `json:"person"`
		Actor     AdminActor   `json:"actor"`
		Network   string       `json:"network"`
		Browser   string       `json:"browser"`
		RequestID string       `json:"request_id"`
		Detail    string       `json:"detail"`
	}
	// AdminSubject has only an id after the account was erased, and not even that if the
	// record is about no account.
	AdminSubject struct {
		ID      string `json:"id"`
		Address string `json:"address"`
		Name    string `json:"name"`
	}
	// AdminActor has only a kind unless it is an admin, and no address after the account was erased.
	AdminActor struct {
		Kind    string `json:"kind"` // self, stranger, operator, admin, key or provider, "" for nobody
		ID      string `json:"id"`   // of an account, of a key, or of a provider
		Address string `json:"address"`
		Name    string `json:"name"` // or else the address; of a key its name
	}
)

// wanted are the names of the parameters that choose records, and recordOf those of a page.
var (
	wanted   = []string{"person", "actor", "network", "kind", "from", "to"}
	recordOf = append(slices.Clone(wanted), "after", "limit")
)

// facts reads the query of the record, of which only the known parameters are allowed.
func (a *Admin) facts(r *http.Request, known []string) (audit.Query, error) {
	values, err := parameters(r.URL.Query(), known)
	if err != nil {
		return audit.Query{}, err
	}
	q := audit.Query{After: values["after"]}
	if text := values["network"]; text != "" {
		network, ok := server.NetworkOf(text)
		if !ok {
			return q, wrongParameter("network")
		}
		q.Peer = network.String()
	}
	if kind := values["kind"]; kind != "" {
		q.Names = []audit.Name{audit.Name(kind)}
	}
	if q.AccountID, err = a.accountOf(r, "person", values["person"]); err != nil {
		return q, err
	}
	if q.Actor, err = a.accountOf(r, "actor", values["actor"]); err != nil {
		return q, err
	}
	if strings.Contains(values["actor"], "@") {
		q.Actor = audit.ByAdmin(q.Actor)
	}
	if q.Limit, err = limitOf(values["limit"]); err != nil {
		return q, err
	}
	for name, to := range map[string]*time.Time{"from": &q.From, "to": &q.To} {
		if *to, err = timeOf(values[name]); err != nil {
			return q, wrongParameter(name)
		}
	}
	return q, nil
}

// accountOf returns the id of the account with an address. Every other text stays as it is:
// the id of an account, which may have been erased.
func (a *Admin) accountOf(r *http.Request, name, text string) (string, error) {
	if !strings.Contains(text, "@") {
		return text, nil
	}
	found, err := a.Operator.User(r.Context(), text)
	if errors.Is(err, account.Missing) {
		return "", server.Malformed.WithFields(fault.Field{Name: name, Code: account.CodeMissingAddress})
	}
	return found.ID, err
}

func (a *Admin) record(r *http.Request, _ flow.Actor) (AdminRecord, error) {
	q, err := a.facts(r, recordOf)
	if err != nil {
		return AdminRecord{}, err
	}
	page, err := a.Operator.Record(r.Context(), q)
	if err != nil {
		return AdminRecord{}, err
	}
	known, err := a.Operator.Known(r.Context(), page.Facts)
	shown := each(page.Facts, func(f audit.Fact) AdminFact {
		return AdminFact{
			f.ID, form.MomentOf(f.At), string(f.Name), f.Name.Words(), subjectOf(f.AccountID, known), actorOf(f, known),
			f.Peer, a.Describe(f.UserAgent), f.RequestID, known.DetailOf(f),
		}
	})
	return AdminRecord{shown, page.Next, page.Partial}, err
}

func subjectOf(id string, known flow.Named) AdminSubject {
	return AdminSubject{id, known.Accounts[id].Address.Mail, known.Accounts[id].Name}
}

func actorOf(f audit.Fact, known flow.Named) AdminActor {
	if id, ok := f.Provider(); ok {
		return AdminActor{Kind: "provider", ID: id, Name: id}
	}
	if id, ok := f.Key(); ok {
		return AdminActor{Kind: "key", ID: id, Name: known.Keys[id]}
	}
	id, ok := f.Admin()
	if !ok {
		return AdminActor{Kind: f.Actor}
	}
	address := known.Accounts[id].Address.Mail
	return AdminActor{"admin", id, address, cmp.Or(known.Accounts[id].Name, address)}
}

// export returns the handler of an operation that streams the records which a query finds.
// An error after the first page ends the connection, so that nobody takes a part for the whole.
func (a *Admin) export(format audit.Format, mediaType string) func(w http.ResponseWriter, r *http.Request, by flow.Actor) error {
	return func(w http.ResponseWriter, r *http.Request, by flow.Actor) error {
		q, err := a.facts(r, wanted)
		if err != nil {
			return err
		}
		h := w.Header()
		h.Set("Content-Type", mediaType)
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": "record." + string(format)}))
		return a.Operator.ExportRecord(r.Context(), by, q, parts{audit.NewWriter(w, format), func() error { return a.flush(w, r) }})
	}
}

// parts is a Writer whose pages reach the client as they come.
type parts struct {
	audit.Writer
	flush func() error
}

// Flush implements audit.Writer.
func (p parts) Flush() error {
	if err := p.Writer.Flush(); err != nil {
		return err
	}
	return p.flush()
}
