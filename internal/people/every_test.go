package people

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// dated is an entry with a time in place of %s. Its reader names the field as field.
type dated struct{ file, field string }

// everyReader has the sources by a file of each, and how an entry with a time begins.
func everyReader() map[string]dated {
	return map[string]dated{
		"keycloak.json":    {`{"users":[{"email":"a@b.c","createdTimestamp":"%s"}]}`, "createdTimestamp"},
		"auth0.ndjson":     {`{"user_id":"x","email":"a@b.c","created_at":"%s"}`, "created_at"},
		"auth0-bulk.json":  {`[{"user_id":"x","email":"a@b.c","last_login":"%s"}]`, "last_login"},
		"clerk.csv":        {"id,primary_email_address,created_at\nx,a@b.c,%s", "created_at"},
		"clerk.json":       {`[{"id":"x","primary_email_address":"a@b.c","created_at":"%s"}]`, "created_at"},
		"firebase.json":    {`{"users":[{"localId":"x","email":"a@b.c","createdAt":"%s"}]}`, "createdAt"},
		"firebase.csv":     {"x,a@b.c,true" + strings.Repeat(",", 21) + "%s,,,,,", "createdAt"},
		"supabase.json":    {`[{"email":"a@b.c","created_at":"%s"}]`, "created_at"},
		"supabase.csv":     {"email,created_at\na@b.c,%s", "created_at"},
		"kratos.json":      {`[{"traits":{"email":"a@b.c"},"created_at":"%s"}]`, "created_at"},
		"authelia.yml":     {}, // has no times
		"better-auth.json": {`[{"email":"a@b.c","createdAt":"%s"}]`, "createdAt"},
		"zitadel.json":     {}, // its export has no times
		"pocket-id.json":   {`{"tables":{"users":[{"email":"a@b.c","created_at":"%s"}]}}`, "tables.users[0].created_at"},
		"cognito.csv":      {}, // has no times
		"own.jsonl":        {`{"email":"a@b.c","created_at":"%s"}`, "created_at"},
		"own.csv":          {"email,created_at\na@b.c,%s", "created_at"},
	}
}

// fixture returns the content of a file, and its source.
func fixture(t *testing.T, file string) (string, Source) {
	t.Helper()
	own := map[string]string{
		"own.jsonl": "{\"email\":\"mara@example.com\",\"name\":\"Mara\"}\n{\"email\":\"noah@example.com\"}\n",
		"own.csv":   "email,name\nmara@example.com,Mara\nnoah@example.com,Noah\n",
	}
	text := own[file]
	if text == "" {
		in, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		text = string(in)
	}
	return text, recognized(t, []byte(text))
}

// addresses of the people that are read, and how it ends.
func readAll(s Source, in io.Reader) (addresses []string, problems int, err error) {
	r, err := s.Open(in, Options{})
	for err == nil {
		var p Person
		bad := (*Problem)(nil)
		if p, _, err = r.Next(); errors.As(err, &bad) {
			problems, err = problems+1, nil
			continue
		}
		if err == nil {
			addresses = append(addresses, p.Email)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return addresses, problems, err
}

// Each reader takes a byte order mark and any line ends, refuses UTF-16, and of a file that is cut off takes whole
// people only.
func TestEvery_Forms(t *testing.T) {
	t.Parallel()
	for file := range everyReader() {
		text, s := fixture(t, file)
		want, bad, err := readAll(s, strings.NewReader(text))
		if err != nil || len(want) < 1 {
			t.Fatalf("%s: %q %v", file, want, err)
		}
		mixed := ""
		for i, line := range strings.Split(text, "\n") {
			mixed += line + []string{"\n", "\r\n", "\r"}[i%3]
		}
		for form, in := range map[string]string{"a byte order mark": "\ufeff" + text, "mixed line ends": mixed} {
			if got, n, err := readAll(s, strings.NewReader(in)); err != nil || n != bad || !slices.Equal(got, want) {
				t.Errorf("%s with %s: %q, %d problems (%v), want %q", file, form, got, n, err, want)
			}
			if recognized(t, []byte(in)).Name != s.Name {
				t.Errorf("%s with %s is not recognized", file, form)
			}
		}
		for mark, order := range map[string]binary.AppendByteOrder{"\xff\xfe": binary.LittleEndian, "\xfe\xff": binary.BigEndian} {
			var wide []byte
			for _, unit := range utf16.Encode([]rune(text)) {
				wide = order.AppendUint16(wide, unit)
			}
			for _, in := range []string{mark + string(wide), string(wide)} {
				if _, _, err := readAll(s, strings.NewReader(in)); !errors.Is(err, ErrUTF16) {
					t.Errorf("%s in UTF-16: %v", file, err)
				}
				if _, err := Find("", []byte(in)); !errors.Is(err, ErrUTF16) {
					t.Errorf("%s in UTF-16 is recognized: %v", file, err)
				}
			}
		}
		for cut := 0; cut < len(text); cut += max(len(text)/97, 1) {
			got, n, err := readAll(s, strings.NewReader(text[:cut]))
			if len(got) > len(want) || len(got) < len(want) && strings.HasSuffix(file, ".json") && n == 0 && err == nil && cut > 0 && !strings.HasPrefix(text, "{") {
				t.Errorf("%s, cut off after %d bytes: %q, %d problems, %v", file, cut, got, n, err)
			}
		}
	}
}

// Each reader names the field of a time that is not between the years 1970 and 9999.
func TestEvery_Times(t *testing.T) {
	t.Parallel()
	for file, d := range everyReader() {
		if d.field == "" {
			continue
		}
		_, s := fixture(t, file)
		for _, at := range []string{"0001-06-01T00:00:00Z", "1969-12-31T23:59:59Z", "253402300800000", "-5", "10000-01-01T00:00:00Z"} {
			got := strings.Join(drainFrom(t, s, strings.NewReader(fmt.Sprintf(d.file, at))), "; ")
			if !strings.Contains(got, d.field+": ") || !strings.Contains(got, "must be") {
				if strings.HasPrefix(file, "own") && strings.HasSuffix(at, "Z") && strings.HasSuffix(got, "a@b.c") {
					continue // the flow judges it
				}
				t.Errorf("%s at %s: %s", file, at, got)
			}
		}
		for _, at := range []string{"9999-12-31T23:59:59Z", "1970-01-01T00:00:00Z"} {
			if got := drainFrom(t, s, strings.NewReader(fmt.Sprintf(d.file, at))); len(got) != 1 || !strings.Contains(got[0], "a@b.c") {
				t.Errorf("%s at %s: %q", file, at, got)
			}
		}
	}
}

// No reader fills the memory with a value of 2 GB, brackets without an end, or a million columns.
//
// Not parallel: it measures the process.
func TestEvery_Endless(t *testing.T) {
	for file := range everyReader() {
		text, s := fixture(t, file)
		at := strings.Index(text, "@")
		for name, part := range map[string]string{"a value": "a", "brackets": "[", "columns": ",", "lists": `[{"a":`, "lines": "a\n"} {
			if name == "lines" && (s.Name == "authelia" || strings.HasSuffix(file, "csv") || file == "own.jsonl" || file == "auth0.ndjson") {
				continue // each is a problem of its own
			}
			begin := text[:at]
			if name != "a value" && name != "columns" && !strings.HasSuffix(file, "csv") {
				begin = text[:strings.LastIndex(text[:at], ":")+1]
			}
			in := io.MultiReader(strings.NewReader(begin), io.LimitReader(endless{strings.Repeat(part, 4096)}, 40<<20))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got, problems, err := readAll(s, in)
			runtime.ReadMemStats(&after)
			if err == nil && problems == 0 {
				t.Errorf("%s with %s without an end: %q", file, name, got)
			}
			most := uint64(24 << 20)
			if s.Name == "authelia" || s.Name == "pocket-id" {
				most = 512 << 20 // read whole, up to a bound
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > most {
				t.Errorf("%s with %s without an end: %d MiB were allocated", file, name, used>>20)
			}
		}
	}
}

// A control character is a problem, or it stays for the flow to refuse. It is never dropped.
func TestEvery_ControlCharacters(t *testing.T) {
	t.Parallel()
	for file := range everyReader() {
		text, s := fixture(t, file)
		want, _, err := readAll(s, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := readAll(s, strings.NewReader(strings.ReplaceAll(text, "@", "\x00@")))
		if slices.Contains(got, want[0]) || err != nil && strings.Contains(err.Error(), "\x00") {
			t.Errorf("%s: %q, %v", file, got, err)
		}
	}
}

func asRead(t *testing.T, p Person, err error) string {
	t.Helper()
	b, bad := json.Marshal(p)
	if bad != nil {
		t.Fatal(bad)
	}
	return fmt.Sprint(string(b), err)
}

// An entry of each reader can be written to a file of its own, which the same reader recognizes and reads as the same person, also
// without an address. So nothing of a bad one is lost: not a hash of an algorithm that is not known, not its salt.
func TestEvery_Alone(t *testing.T) {
	t.Parallel()
	for file := range everyReader() {
		text, s := fixture(t, file)
		for _, in := range []string{text, strings.NewReplacer("mara@example.com", "", "pbkdf2", "whirlpool").Replace(text)} {
			r, err := s.Open(strings.NewReader(in), Options{})
			if err != nil {
				t.Fatal(err)
			}
			for n := 0; ; n++ {
				p, at, err := r.Next()
				if problem := (*Problem)(nil); err != nil && !errors.As(err, &problem) {
					break
				}
				if at.Entry != "" && at.Raw == nil {
					continue // the Person is written
				}
				alone := strings.TrimLeft(fmt.Sprintf("%s\n%s\n", at.Head, at.Raw), "\n")
				if found, why := Find("", []byte(alone)); in == text && err == nil && found.Name != s.Name {
					t.Errorf("%s: not recognized (%v): %s", file, why, alone)
				}
				again, err2 := s.Open(strings.NewReader(alone), Options{})
				if err2 != nil {
					t.Fatalf("%s: %s: %v", file, alone, err2)
				}
				got, _, err2 := again.Next()
				if diff := cmp.Diff(asRead(t, p, err), asRead(t, got, err2)); diff != "" {
					t.Errorf("%s: entry %d: %s\n%s", file, n, alone, diff)
				}
			}
		}
	}
}
