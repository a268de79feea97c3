package server_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"portico/internal/fault"
	"portico/internal/server"
)

type form struct {
	Email    string   `json:"email"`
	Password string   `json:"password"`
	Remember bool     `json:"remember"`
	Way      string   `json:"way" enum:" app code"`
	Roles    []string `json:"roles"`
}

const (
	jsonType = "application/json"
	formType = "application/x-www-form-urlencoded"
)

func decode(body, contentType string) (form, error) {
	r := request("POST", "/", body)
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	var in form
	err := server.Decode(r, &in)
	return in, err
}

func TestDecode(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, contentType, body string
		want                    form
	}{
		{"JSON", jsonType, `{"email":"v@x.test","password":" p\u00e4ss\ud83d\ude00 ","remember":true}`, form{Email: "v@x.test", Password: " päss😀 ", Remember: true}},
		{"JSON with charset", jsonType + "; charset=UTF-8", `{"email":"v"}`, form{Email: "v"}},
		{"JSON with blanks around", jsonType, " \n{ \"email\" : \"v\" }\t\n", form{Email: "v"}},
		{"an empty object", jsonType, `{}`, form{}},
		{"a list", jsonType, `{"roles":["a","p\u00e4"],"email":"v"}`, form{Email: "v", Roles: []string{"a", "pä"}}},
		{"an empty list", jsonType, `{"roles":[]}`, form{Roles: []string{}}},
		{"an escaped name", jsonType, `{"em\u0061il":"v"}`, form{Email: "v"}},
		{"form", formType, "email=v%40x.test&password=+p%C3%A4ss%F0%9F%98%80+&remember=on", form{Email: "v@x.test", Password: " päss😀 ", Remember: true}},
		{"form with charset", formType + ";charset=utf-8", "email=v", form{Email: "v"}},
		{"a value of the list", jsonType, `{"way":"code"}`, form{Way: "code"}},
		{"an empty value that the list has", formType, "way=", form{}},
		{"form with false", formType, "remember=false&email=", form{}},
		{"form with empty pairs", formType, "&email=v&&", form{Email: "v"}},
		{"form with a value that has = and ;", formType, "password=a=b;c", form{Password: "a=b;c"}},
		{"an empty form", formType, "", form{}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := decode(c.body, c.contentType)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("decoded (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecode_Refuses(t *testing.T) {
	t.Parallel()
	const bad, unsupported = server.CodeMalformed, server.CodeUnsupported
	cases := []struct {
		name, contentType, body, code, field, fieldCode string
	}{
		{"no content type", "", `{}`, unsupported, "", ""},
		{"text with JSON in it", "text/plain", `{}`, unsupported, "", ""},
		{"multipart", "multipart/form-data; boundary=x", "--x--", unsupported, "", ""},
		{"another charset", jsonType + "; charset=utf-16", `{}`, unsupported, "", ""},
		{"another parameter", jsonType + "; version=1", `{}`, unsupported, "", ""},
		{"a suffix type", "application/problem+json", `{}`, unsupported, "", ""},
		{"two types in one", jsonType + ", text/plain", `{}`, unsupported, "", ""},

		{"unknown", jsonType, `{"emial":"v"}`, bad, "emial", server.CodeFieldUnknown},
		{"unknown and nested", jsonType, `{"user":{"id":1}}`, bad, "user", server.CodeFieldUnknown},
		{"other letters", jsonType, `{"EMAIL":"v"}`, bad, "EMAIL", server.CodeFieldUnknown},
		{"letters that fold", jsonType, `{"paſſword":"v"}`, bad, "", ""},
		{"a name that is no name", jsonType, `{"<script>":"v"}`, bad, "", ""},
		{"the Go name", jsonType, `{"Remember":true}`, bad, "Remember", server.CodeFieldUnknown},
		{"duplicate", jsonType, `{"email":"v","email":"a"}`, bad, "email", server.CodeFieldDuplicate},
		{"duplicate by escape", jsonType, `{"email":"v","em\u0061il":"a"}`, bad, "email", server.CodeFieldDuplicate},
		{"an array", jsonType, `{"email":["v","a"]}`, bad, "email", server.CodeFieldType},
		{"an object", jsonType, `{"email":{"x":"v"}}`, bad, "email", server.CodeFieldType},
		{"null", jsonType, `{"email":null}`, bad, "email", server.CodeFieldType},
		{"a number", jsonType, `{"email":1e999999}`, bad, "email", server.CodeFieldType},
		{"a bool for a text", jsonType, `{"email":true}`, bad, "email", server.CodeFieldType},
		{"a text for a bool", jsonType, `{"remember":"true"}`, bad, "remember", server.CodeFieldType},
		{"a text for a list", jsonType, `{"roles":"a"}`, bad, "roles", server.CodeFieldType},
		{"null for a list", jsonType, `{"roles":null}`, bad, "roles", server.CodeFieldType},
		{"a list in a list", jsonType, `{"roles":["a",["b"]]}`, bad, "roles", server.CodeFieldType},
		{"a number in a list", jsonType, `{"roles":["a",1]}`, bad, "roles", server.CodeFieldType},
		{"NUL in a list", jsonType, `{"roles":["a\u0000"]}`, bad, "roles", server.CodeFieldText},
		{"two lists", jsonType, `{"roles":["a"],"roles":["b"]}`, bad, "roles", server.CodeFieldDuplicate},
		{"a value out of the list", jsonType, `{"way":"sms"}`, bad, "way", server.CodeFieldValue},
		{"two values of the list", jsonType, `{"way":"app code"}`, bad, "way", server.CodeFieldValue},
		{"a value out of the list in a form", formType, `way=sms`, bad, "way", server.CodeFieldValue},
		{"NUL", jsonType, `{"email":"v\u0000"}`, bad, "email", server.CodeFieldText},
		{"half a character", jsonType, `{"email":"\ud83d"}`, bad, "", ""},
		{"the other half", jsonType, `{"email":"\ude00"}`, bad, "", ""},
		{"two first halves", jsonType, `{"email":"\ud83d\ud83d"}`, bad, "", ""},
		{"half before text", jsonType, `{"email":"\ud83dabcdef"}`, bad, "", ""},
		{"half before an escape", jsonType, `{"email":"\ud83d\nde00"}`, bad, "", ""},
		{"half in a name", jsonType, `{"\ud83d":"v"}`, bad, "", ""},
		{"not UTF-8", jsonType, "{\"email\":\"\xff\"}", bad, "", ""},
		{"BOM", jsonType, "\ufeff{}", bad, "", ""},
		{"trailing object", jsonType, `{}{}`, bad, "", ""},
		{"trailing text", jsonType, `{} x`, bad, "", ""},
		{"trailing comma", jsonType, `{"email":"v",}`, bad, "", ""},
		{"comment", jsonType, `{/*x*/}`, bad, "", ""},
		{"an array of it", jsonType, `[{"email":"v"}]`, bad, "", ""},
		{"only a text", jsonType, `"email"`, bad, "", ""},
		{"nothing", jsonType, ``, bad, "", ""},
		{"depth", jsonType, strings.Repeat(`{"a":`, 100_000), bad, "", ""},
		{"too deep to be a field", jsonType, `{"email":` + strings.Repeat("[", 33) + strings.Repeat("]", 33) + `}`, bad, "", ""},
		{"depth that closes", jsonType, strings.Repeat("[", 5_000) + strings.Repeat("]", 5_000), bad, "", ""},

		{"form unknown", formType, "emial=v", bad, "emial", server.CodeFieldUnknown},
		{"form list", formType, "email[]=v", bad, "", ""},
		{"form index", formType, "a[999999999]=v", bad, "", ""},
		{"form duplicate", formType, "email=v&email=a", bad, "email", server.CodeFieldDuplicate},
		{"form duplicate by escape", formType, "email=v&em%61il=a", bad, "email", server.CodeFieldDuplicate},
		{"form for a list", formType, "roles=on", bad, "roles", server.CodeFieldType},
		{"form type", formType, "remember=yes", bad, "remember", server.CodeFieldType},
		{"form NUL", formType, "email=%00", bad, "email", server.CodeFieldText},
		{"form not UTF-8", formType, "email=\xff", bad, "", ""},
		{"form not UTF-8 when decoded", formType, "email=%ff", bad, "", ""},
		{"form bad escape", formType, "email=%zz", bad, "", ""},
		{"form cut escape", formType, "email=%4", bad, "", ""},
		{"form that is JSON", formType, `{"email":"v"}`, bad, "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := decode(c.body, c.contentType)
			var f *fault.Error
			if !errors.As(err, &f) || f.Code != c.code {
				t.Fatalf("error %v, want %s", err, c.code)
			}
			var name, code string
			if len(f.Fields) == 1 {
				name, code = f.Fields[0].Name, f.Fields[0].Code
			}
			if name != c.field || code != c.fieldCode {
				t.Errorf("field %q with %q, want %q with %q", name, code, c.field, c.fieldCode)
			}
		})
	}
}

func TestDecode_RefusesEncodings(t *testing.T) {
	t.Parallel()
	for _, coding := range []string{"gzip", "deflate", "br", "zstd", "identity", ""} {
		r := request("POST", "/", `{}`, "Content-Type: "+jsonType, "Content-Encoding: "+coding)
		if err := server.Decode(r, &form{}); server.Status(err) != 415 {
			t.Errorf("Content-Encoding %q: %v, want 415", coding, err)
		}
	}
	r := request("POST", "/", `{}`, "Content-Type: "+jsonType, "Content-Type: text/plain")
	if err := server.Decode(r, &form{}); server.Status(err) != 415 {
		t.Errorf("two content types: %v, want 415", err)
	}
}

func TestDecode_PanicsForAHandlersMistake(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]any{
		"no tag": &struct{ Email string }{},
		"a number": &struct {
			N int `json:"n"`
		}{},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			_ = server.Decode(request("POST", "/", `{}`, "Content-Type: "+jsonType), in)
		}()
	}
}

// encoding/json decodes what Decode accepts to the same values, and no
// character is replaced.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{}`, `{"email":"v"}`, `{"email":"\ud83d\ude00"}`, `{"email":"\ud83d"}`, `{"a":[]}`, `{"remember":true}{}`, `{"roles":["a"]}`, "\xff", `{"email":"\\u"}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		got, err := decode(body, jsonType)
		if err != nil {
			return
		}
		var want form
		if err := json.Unmarshal([]byte(body), &want); err != nil || !cmp.Equal(want, got) {
			t.Errorf("%q: decoded %+v, encoding/json %+v, %v", body, got, want, err)
		}
		for _, text := range []string{got.Email, got.Password} {
			if !utf8.ValidString(text) || strings.Contains(text, "\x00") || strings.ContainsRune(text, utf8.RuneError) && !strings.Contains(body, "\ufffd") && !strings.Contains(strings.ToLower(body), `\ufffd`) {
				t.Errorf("%q: a character of %q was replaced", body, text)
			}
		}
	})
}

// FuzzForm compares with url.ParseQuery in the same way.
func FuzzForm(f *testing.F) {
	for _, seed := range []string{"", "email=v", "email=%41+b", "email=a&email=b", "%", "&&=", "remember=on", "password=a;b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		got, err := decode(body, formType)
		if err != nil {
			return
		}
		want, err := url.ParseQuery(strings.ReplaceAll(body, ";", "%3B")) // net/url drops pairs with a semicolon
		if err != nil || want.Get("email") != got.Email || want.Get("password") != got.Password || len(want["email"]) > 1 {
			t.Errorf("%q: decoded %+v, net/url %v, %v", body, got, want, err)
		}
		if !utf8.ValidString(got.Email + got.Password) {
			t.Errorf("%q: not UTF-8: %+v", body, got)
		}
	})
}
