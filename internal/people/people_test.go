package people

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"portico/internal/testform"
)

// drain reads everything with the source that recognizes the beginning. Each line of the result
// is an address or a problem.
func drain(t *testing.T, in string) (got []string) {
	t.Helper()
	for _, s := range Sources() {
		if !s.Recognize([]byte(in)) {
			continue
		}
		return drainFrom(t, s, strings.NewReader(in))
	}
	t.Fatalf("nothing recognizes %.60q", in)
	return nil
}

func drainFrom(t *testing.T, s Source, in io.Reader) (got []string) {
	t.Helper()
	r, err := s.Open(in, Options{})
	if err != nil {
		return []string{err.Error()}
	}
	for {
		p, at, err := r.Next()
		bad := (*Problem)(nil)
		switch {
		case err == io.EOF:
			return got
		case errors.As(err, &bad):
			got = append(got, fmt.Sprintf("%d %v", at.Line, err))
		case err != nil:
			return append(got, "end: "+err.Error())
		default:
			line := fmt.Sprintf("%d %s", at.Line, p.Email)
			if at.Ignored != nil {
				line += " without " + strings.Join(at.Ignored, ",")
			}
			got = append(got, line)
		}
	}
}

func source(t *testing.T, name string) Source {
	t.Helper()
	for _, s := range Sources() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no source %q", name)
	return Source{}
}

func TestReaders_BadInput(t *testing.T) {
	t.Parallel()
	deep := `{"email":"a@b.c","claims":` + strings.Repeat("[", 1e5) + strings.Repeat("]", 1e5) + `}`
	for name, c := range map[string]struct {
		in   string
		want []string
	}{
		"mixed line ends":       {"{\"email\":\"a@b.c\"}\r\n{\"email\":\"d@b.c\"}\r\r{\"email\":\"e@b.c\"}\n\n", []string{"1 a@b.c", "2 d@b.c", "4 e@b.c"}},
		"byte order mark":       {"\ufeff{\"email\":\"a@b.c\"}\n", []string{"1 a@b.c"}},
		"cut off":               {"{\"email\":\"a@b.c\"}\n{\"email\":\"d@b", []string{"1 a@b.c", "2 email: ends in the middle of an object: the file may be cut off"}},
		"cut off after a value": {"{\"email\":\"a@b.c\"", []string{"1 ends in the middle of an object: the file may be cut off"}},
		"deep":                  {deep, []string{"1 is nested deeper than 32 levels"}},
		"twice":                 {`{"email":"a@b.c","email":"d@b.c"}`, []string{"1 email: is there twice"}},
		"two objects":           {`{"email":"a@b.c"} {"email":"d@b.c"}`, []string{"1 there is more after the object: each object must have its own line"}},
		"another case":          {`{"email":"a@b.c","EMAIL":"d@b.c"}`, []string{"1 a@b.c without EMAIL"}},
		"unknown fields":        {`{"email":"a@b.c","x":1,"totp":[{"secret":"A","y":{}},{"secret":"B","y":2}]}`, []string{"1 a@b.c without x,totp.y"}},
		"wrong type":            {`{"email":"a@b.c","totp":[{"secret":"A"},{"secret":"B","digits":"six"}]}`, []string{`1 totp[1].digits: "\"six\"": must be a whole number`}},
		"secrets are not shown": {`{"email":"a@b.c","totp":[{"secret":1234}]}`, []string{"1 totp[0].secret: must be a text"}},
		"hash is not shown":     {`{"email":"a@b.c","password":["$2b$"]}`, []string{"1 password: must be a text"}},
		"codes are not shown":   {`{"email":"a@b.c","recovery_codes":[77]}`, []string{"1 recovery_codes[0]: must be a text"}},
		"no date":               {`{"email":"a@b.c","created_at":"yesterday"}`, []string{`1 created_at: "\"yesterday\"": must be a time in the form of RFC 3339, such as 2026-01-02T15:04:05Z`}},
		"year 10000":            {`{"email":"a@b.c","created_at":"10000-01-01T00:00:00Z"}`, []string{`1 created_at: "\"10000-01-01T00:00:00Z\"": must be a time in the form of RFC 3339, such as 2026-01-02T15:04:05Z`}},
		"year 1":                {`{"email":"a@b.c","created_at":"0001-01-01T00:00:00Z"}`, []string{`1 created_at: "\"0001-01-01T00:00:00Z\"": must be between the years 1970 and 9999`}},
		"no UTF-8":              {"{\"email\":\"a@b.c\",\"name\":\"\xff\"}", []string{"1 is not UTF-8"}},
		"newer":                 {`{"format":2,"email":"a@b.c"}`, []string{`1 format: "2": is newer than this version of Portico`}},
		"not JSON":              {"{\"email\":\"a@b.c\"}\nhello\n{\"email\":\"d@b.c\"}", []string{"1 a@b.c", "2 is not JSON (byte 1)", "3 d@b.c"}},
		"CSV":                   {"name,email,email_verified,shoe\r\n\"L, M\",a@b.c,true,42\r\n", []string{"2 a@b.c without shoe"}},
		"CSV with a mark":       {"\ufeff\"email\"\na@b.c", []string{"2 a@b.c"}},
		"CSV cut off":           {"email,name\na@b.c,A\nd@b.c", []string{"2 a@b.c", "3 has 1 values for 2 columns: the line may be cut off, or a comma lacks its quotes"}},
		"CSV quote":             {"email,name\na@b.c,A\"\"B\nd@b.c,D\n", []string{"2 is not CSV: a quote is missing or not doubled", "3 d@b.c"}},
		"CSV line break":        {"email,name\na@b.c,\"A\n\nx@b.c,X\nA\"\nd@b.c,D\n", []string{"2 has a line break in a value, or a quote is missing or not doubled", "6 d@b.c"}},
		"CSV break, bad byte":   {"email,name\na@b.c,\"A\xff\nx@b.c,X\nA\"\nd@b.c,D\n", []string{"2 has a line break in a value, or a quote is missing or not doubled", "5 d@b.c"}},
		"CSV break, long line":  {"email,name\na@b.c,\"" + strings.Repeat("A", MostBytes) + "\nx@b.c,X\nA\"\nd@b.c,D\n", []string{"2 has a line break in a value, or a quote is missing or not doubled", "5 d@b.c"}},
		"CSV open quote":        {"email,name\na@b.c,\"A\nd@b.c,D\n", []string{"end: a value does not end: a quote is missing or not doubled"}},
		"CSV truth":             {"email,email_verified\na@b.c,maybe", []string{`2 email_verified: "maybe": must be true or false`}},
		"CSV column twice":      {"email,email\n", []string{`line 1: the column "email" is there twice`}},
		"semicolons":            {"email;name\na@b.c;A\n", []string{"line 1: the columns have semicolons or tabs between them: save the file with commas"}},
		"a million columns":     {"email," + strings.Repeat("c,", 1e5) + "\n", []string{"line 1: the names of the columns: has more than 1000 columns"}},
		"a million values":      {"email\n" + strings.Repeat("c,", 1e5) + "\nd@b.c", []string{"2 has more than 1000 columns", "3 d@b.c"}},
	} {
		if diff := cmp.Diff(c.want, drain(t, c.in)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	if got := drainFrom(t, source(t, "portico"), strings.NewReader("\xff\xfe{\x00\"\x00")); got[0] != ErrUTF16.Error() {
		t.Error(got)
	}
	if got := drainFrom(t, source(t, "portico"), strings.NewReader("\xfe\xff\x00{")); got[0] != ErrUTF16.Error() {
		t.Error(got)
	}
	if got := drainFrom(t, source(t, "csv"), strings.NewReader("e\x00m\x00")); got[0] != ErrUTF16.Error() {
		t.Error(got)
	}
}

// endless is a text that repeats.
type endless struct{ part string }

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n+len(e.part) <= len(p) {
		n += copy(p[n:], e.part)
	}
	return max(n, 1), nil
}

// A line of 2 GB is one problem, and the memory does not grow with it.
//
// Not parallel: it measures the process.
func TestReaders_LineOf2GB(t *testing.T) {
	length := int64(64 << 20)
	if testform.Full() {
		length = 2 << 30
	}
	in := io.MultiReader(strings.NewReader(`{"email":"`), io.LimitReader(endless{"aaaaaaaa"}, length), strings.NewReader("\n{\"email\":\"d@b.c\"}\n"))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := drainFrom(t, source(t, "portico"), in)
	runtime.ReadMemStats(&after)
	if diff := cmp.Diff([]string{"1 is longer than 1048576 bytes", "2 d@b.c"}, got); diff != "" {
		t.Error(diff)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 64<<20 {
		t.Errorf("%d bytes for a line of %d", used, length)
	}
}

func TestCSV_Fields(t *testing.T) {
	t.Parallel()
	in := "email,email_verified,name,locale,state,created_at,roles,password,issuer,subject,totp_secret,totp_digits,totp_period,totp_algorithm,claims\n" +
		`m@b.c,TRUE,Mara,de,disabled,2020-01-02T03:04:05Z,a; b,$2b$x,https://old.example,42,GEZD,8,60,SHA256,"{""a"":1}"`
	r, err := openCSV(strings.NewReader(in), Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	want := Person{
		Email: "m@b.c", EmailVerified: true, Name: "Mara", Locale: "de", State: "disabled", CreatedAt: time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC),
		Roles: []string{"a", "b"}, Password: "$2b$x", Subject: &Subject{Issuer: "https://old.example", Value: "42"},
		TOTP: []TOTP{{Secret: "GEZD", Digits: 8, Period: 60, Algorithm: "SHA256"}}, Claims: []byte(`{"a":1}`),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The issuer that the operator names is for subjects without one.
func TestSubject_Issuer(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"{\"email\":\"a@b.c\",\"subject\":{\"issuer\":\"https://own.test\",\"value\":\"1\"}}\n{\"email\":\"d@b.c\",\"subject\":{\"value\":\"2\"}}",
		"email,issuer,subject\na@b.c,https://own.test,1\nd@b.c,,2",
	} {
		s := recognized(t, []byte(in))
		r, err := s.Open(strings.NewReader(in), Options{Issuer: "https://named.test"})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []Subject{{"https://own.test", "1"}, {"https://named.test", "2"}} {
			if p, _, err := r.Next(); err != nil || *p.Subject != want {
				t.Errorf("%s: %+v, %v; want %+v", s.Name, p.Subject, err, want)
			}
		}
	}
}
