package admin

import (
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"portico/internal/apikey"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/job"
	format "portico/internal/people"
)

// Each scope of a key opens an operation, and each operation needs a scope that a key can have, or
// is for admins only. Reads need a read, and changes a write, but imports.
func TestOperations_HaveScopes(t *testing.T) {
	t.Parallel()
	opened := map[string]bool{}
	for _, o := range Operations() {
		scope := o.Access.Scope
		if !o.Access.Admin {
			t.Errorf("%s %s is not described as one of admins", o.Method, o.Path)
		}
		if scope == noKey {
			continue
		}
		opened[scope] = true
		if !slices.Contains(apikey.Scopes(), scope) || scope != importPeople && strings.HasSuffix(scope, ":read") != (o.Method == http.MethodGet) {
			t.Errorf("%s %s needs the scope %q", o.Method, o.Path, scope)
		}
	}
	for _, scope := range apikey.Scopes() {
		if !opened[scope] {
			t.Errorf("no operation needs %s", scope)
		}
	}
}

// An import names each source of package people.
func TestImporting_NamesSources(t *testing.T) {
	t.Parallel()
	field, _ := reflect.TypeFor[AdminImporting]().FieldByName("From")
	named := strings.Fields(field.Tag.Get("enum"))
	var want []string
	for _, s := range format.Sources() {
		want = append(want, s.Name)
	}
	slices.Sort(named)
	if slices.Sort(want); !slices.Equal(named, want) {
		t.Errorf("%q, want %q", named, want)
	}
}

// A parameter with a typing error is named, so that who wrote the program finds it.
func TestParameters_NameWhatIsUnknown(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]string{
		"rol=staff": "rol field.unknown", "limit=5&limit=6": "limit field.value", "<b>=1": "", "role=staff&limit=5": "",
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		_, err = filter(values)
		got := ""
		if e := (*fault.Error)(nil); errors.As(err, &e) && len(e.Fields) == 1 {
			got = e.Fields[0].Name + " " + e.Fields[0].Code
		}
		if got != want || (err == nil) != (query == "role=staff&limit=5") {
			t.Errorf("%s: %v, field %q, want %q", query, err, got, want)
		}
	}
}

// People may have gone since the beginning of a job, but no lines of a file.
func TestJobOf_Total(t *testing.T) {
	t.Parallel()
	for kind, want := range map[job.Kind]int64{flow.BulkDisable: 3, flow.JobImport: 5} {
		got := jobOf(flow.Task{Job: job.Job{Kind: kind, Total: 5, Progress: job.Progress{State: job.Done, Done: 3}}})
		if got.Total != want || got.Done != 3 {
			t.Errorf("%s: %d of %d are done", kind, got.Done, got.Total)
		}
	}
}
