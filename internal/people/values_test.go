package people

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// SEC-450: no entry has more values than a person has. A value of three bytes takes hundreds in memory.
func TestValues(t *testing.T) {
	t.Parallel()
	const many = 349_000
	// The reader ends the list where it is, so what follows is not even looked at.
	list := func(value string, count int) string {
		return "[" + strings.Repeat(value+",", count-1) + value + "]"
	}
	for name, c := range map[string]struct{ from, in, want string }{
		"passkeys":   {"portico", `{"email":"a@b.c","passkeys":` + list("{}", many) + `}`, "1 passkeys: has too many values: lists may have 200 in all"},
		"codes":      {"portico", `{"email":"a@b.c","recovery_codes":` + list(`""`, MostValues+1) + `}`, "1 recovery_codes: has too many values: lists may have 200 in all"},
		"as many":    {"portico", `{"email":"a@b.c","roles":` + list(`"r"`, MostValues) + `}`, "1 a@b.c"},
		"in lists":   {"portico", `{"email":"a@b.c","passkeys":` + list(`{"transports":`+list(`""`, 150)+`}`, 100) + `}`, "1 passkeys[1].transports: has too many values: lists may have 200 in all"},
		"two lists":  {"portico", `{"email":"a@b.c","roles":` + list(`"r"`, 150) + `,"totp":` + list("{}", 51) + `}`, "1 totp: has too many values: lists may have 200 in all"},
		"fields":     {"portico", `{"email":"a@b.c"` + fields(MostColumns) + `}`, "1 has more than 1000 fields"},
		"keycloak":   {"keycloak", `{"users":[{"email":"a@b.c","credentials":` + list("{}", many) + `}]}`, "1 credentials: has too many values: lists may have 200 in all"},
		"clerk, CSV": {"clerk", "primary_email_address,backup_codes\na@b.c,\"" + list(`""""`, 300) + "\"\n", "2 backup_codes: has too many values: lists may have 200 in all"},
		"pocket-id": {"pocket-id", `{"tables":{"users":[{"email":"a@b.c"}],"webauthn_credentials":` + list("{}", many) + `}}`,
			"tables.webauthn_credentials: has too many values: lists may have 10670 in all"},
		"authelia":       {"authelia", "users:\n  a: {email: a@b.c}\ntotp_configurations: " + list("{}", many), tooManyYAML},
		"authelia, text": {"authelia", "users:\n  a: {groups: " + list("a", many) + "}\n", tooManyYAML},
		"authelia, rows": {"authelia", "users:\n" + strings.Repeat("- -\n", many), tooManyYAML},
	} {
		if got := drainFrom(t, source(t, c.from), strings.NewReader(c.in)); len(got) != 1 || got[0] != c.want {
			t.Errorf("%s: %.200q, want %s", name, got, c.want)
		}
	}
}

const tooManyYAML = "the file has more values than the YAML of Authelia has in so many bytes"

func fields(count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, `,"x%d":1`, i)
	}
	return b.String()
}

// SEC-450: the people of a file that is read whole find their keys in one step each. Earlier each of them looked at all keys: such a
// file held a processor for hours.
func TestValues_ManyPeopleWithManyKeys(t *testing.T) {
	t.Parallel()
	const many = 200_000
	var a authelia
	a.Users = make(map[string]autheliaUser, many)
	for i := range many {
		a.Users[fmt.Sprintf("%020d", i)] = autheliaUser{}
	}
	a.Apps = make([]autheliaApp, many)
	for i := range a.Apps {
		a.Apps[i].Username = fmt.Sprintf("%020d", i)
	}
	done := make(chan *listed, 1)
	go func() { done <- a.people(Options{}) }()
	select {
	case got := <-done:
		if len(got.people) != many || len(got.people[7].TOTP) != 1 {
			t.Errorf("%d people", len(got.people))
		}
	case <-time.After(time.Minute):
		t.Error("it takes too long")
	}
}
