package people

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portico/internal/goldentest"
	"portico/internal/password/argon2"
	"portico/internal/password/foreign"
)

// TestExports reads a file of each system, which was written by the documentation of its format:
// testdata/README.md. The golden file has each person in the own format, and what was not taken.
func TestExports(t *testing.T) {
	t.Parallel()
	parameters := map[string]string{
		"rp_id": "login.example.com", "mem_cost": "14", "rounds": "8", "salt_separator": "Bw==",
		"signer_key": "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
	}
	for file, name := range map[string]string{
		"keycloak.json": "keycloak", "auth0.ndjson": "auth0", "auth0-bulk.json": "auth0", "clerk.csv": "clerk", "clerk.json": "clerk",
		"firebase.json": "firebase", "firebase.csv": "firebase", "supabase.json": "supabase", "supabase.csv": "supabase", "kratos.json": "kratos",
		"kratos-original.json": "kratos", "authelia.yml": "authelia", "better-auth.json": "better-auth", "better-auth-original.jsonl": "better-auth", "zitadel.json": "zitadel", "pocket-id.json": "pocket-id", "cognito.csv": "cognito",
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			in, err := os.ReadFile(filepath.Join("testdata", file))
			if err != nil {
				t.Fatal(err)
			}
			s := recognized(t, in)
			if s.Name != name {
				t.Fatalf("recognized as %s", s.Name)
			}
			got := told(t, s, in, Options{Issuer: "https://old.example", Parameters: parameters})
			goldentest.File(t, filepath.Join("testdata", file+".golden"), got)
		})
	}
}

func recognized(t *testing.T, in []byte) Source {
	t.Helper()
	for _, s := range Sources() {
		if s.Recognize(in[:min(len(in), 4096)]) {
			return s
		}
	}
	t.Fatal("nothing recognizes it")
	return Source{}
}

// told returns what a reader reads, a line each, after it has checked the hashes.
func told(t *testing.T, s Source, in []byte, o Options) string {
	t.Helper()
	r, err := s.Open(bytes.NewReader(in), o)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for {
		p, at, err := r.Next()
		bad := (*Problem)(nil)
		switch {
		case errors.Is(err, io.EOF):
			return b.String()
		case errors.As(err, &bad):
			fmt.Fprintf(&b, "%d: problem: %v\n", at.Line, err)
			continue
		case err != nil:
			t.Fatal(err)
		}
		line, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s: %s\n    without %s\n", at, line, strings.Join(at.Ignored, ", "))
		if p.Password != "" {
			proves(t, p)
		}
	}
}

// proves checks the known password against the hash of a person.
func proves(t *testing.T, p Person) {
	t.Helper()
	h, err := foreign.Parse(p.Password)
	if err != nil {
		t.Fatalf("%s: %v", p.Email, err)
	}
	for _, password := range []string{"gärtner-Übung", "user1password", "password"} {
		ok, err := h.Match(argon2.NewArena(), password, func(d []byte) bool { return bytes.Equal(d, h.Digest()) })
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			return
		}
	}
	t.Errorf("%s: the password does not match %s", p.Email, p.Password)
}

// A file that is damaged, or whose parameters are missing, has a clear error, and nothing hangs.
func TestExports_BadInput(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from, in string
		want     []string
	}{
		"cut off":        {"keycloak", "{\"realm\":\"a\",\"users\":[{\"email\":\"a@b.c\"},\n{\"email\":\"d@", []string{"1 a@b.c", "end: the file ends in the middle of the list: it may be cut off"}},
		"cut off behind": {"keycloak", "{\"users\":[{\"email\":\"a@b.c\"}", []string{"1 a@b.c", "end: the file ends in the middle of the list: it may be cut off"}},
		"no users":       {"keycloak", `{"realm":"a","clients":[{"users":1}]}`, nil},
		"several lists":  {"keycloak", "[{\"users\":[{\"email\":\"a@b.c\"}]},\n{\"users\":[]},\n{\"users\":[{\"email\":\"d@b.c\"}]}]", []string{"1 a@b.c", "3 d@b.c"}},
		"other users":    {"keycloak", "{\"roles\":{\"client\":{\"users\":[{\"name\":\"view\"}]}},\"clientScopeMappings\":{\"users\":[{}]},\"users\":[{\"email\":\"a@b.c\"}],\n\"groups\":[{\"clientRoles\":{\"users\":[\"view\"]}}]}", []string{"1 a@b.c"}},
		"deep":           {"keycloak", strings.Repeat("[", 100), []string{"end: the file cannot be read further: is nested deeper than 32 levels"}},
		"deep entry":     {"kratos", "[" + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `,{"traits":{"email":"a@b.c"}}]`, []string{"1 is nested deeper than 32 levels", "1 a@b.c"}},
		"wrong type":     {"kratos", "[{\"id\":7},\n{\"traits\":{\"email\":\"a@b.c\"}}]", []string{`1 id: "7": must be a text`, "2 a@b.c"}},
		"not JSON":       {"kratos", "[{]", []string{"end: is not JSON from here on"}},
		"no list":        {"kratos", "42", []string{"end: the file cannot be read further: it is no list"}},
		"broken line":    {"auth0", "{\"email\":\"a@b.c\"}\n{\n{\"email\":\"d@b.c\"}", []string{"1 a@b.c", "2 ends in the middle of an object: the file may be cut off", "3 d@b.c"}},
		"no parameters":  {"firebase", `{"users":[{"localId":"a","email":"a@b.c","passwordHash":"QUFB"}]}`, []string{"1 passwordHash: the export does not have the parameter mem_cost of its hashes: copy base64_signer_key, base64_salt_separator, rounds and mem_cost from the Firebase console"}},
		"no YAML":        {"authelia", "users:\n\t- hunter2", []string{"the file is not the YAML of Authelia: check that it is whole, and its indentation"}},
		"YAML bomb": {"authelia", "a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d]\nusers:\n  m: {email: a@b.c, x: [*e,*e,*e,*e,*e,*e,*e,*e]}\n",
			[]string{"the file is not the YAML of Authelia: check that it is whole, and its indentation"}},
		"no tables": {"pocket-id", `{"tables":{"users":[{"email":7}]}}`, []string{`tables.users[0].email: "7": must be a text`}},
	} {
		if diff := cmp.Diff(c.want, drainFrom(t, source(t, c.from), strings.NewReader(c.in))); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// An entry of 2 GB ends the reading before it fills the memory.
func TestExports_HugeEntry(t *testing.T) {
	t.Parallel()
	in := io.MultiReader(strings.NewReader(`{"users":[{"email":"`), endless{"aaaaaaaa"})
	if diff := cmp.Diff([]string{"end: the file cannot be read further: an entry is longer than 1048576 bytes"}, drainFrom(t, source(t, "keycloak"), in)); diff != "" {
		t.Error(diff)
	}
}

// The own format is not mistaken for a foreign one because of its claims.
func TestExports_OwnClaims(t *testing.T) {
	t.Parallel()
	if s := recognized(t, []byte(`{"email":"a@b.c","claims":{"user_id":7,"password_hash":"x"}}`)); s.Name != "portico" {
		t.Errorf("recognized as %s", s.Name)
	}
}

// A file that is read whole is refused before it fills the memory.
func TestExports_HugeFile(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]string{"authelia": "users:\n", "pocket-id": `{"tables":`} {
		in := io.MultiReader(strings.NewReader(begin), io.LimitReader(endless{"       \n"}, mostTables+1))
		if got := drainFrom(t, source(t, name), in); len(got) != 1 || !strings.Contains(got[0], "the file is longer than") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Auth0 calls users without a name by their address.
func TestAuth0_NameIsAddress(t *testing.T) {
	t.Parallel()
	var at Place
	if p, err := auth0Person(Options{}, &auth0{Email: "a@b.c", Name: "a@b.c"}, &at); err != nil || p.Name != "" {
		t.Errorf("the name is %q (%v)", p.Name, err)
	}
}
