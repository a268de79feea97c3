package claim_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"portico/internal/claim"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"":                                    "",
		" \n":                                 "",
		" { } ":                               "",
		"{\n  \"quota\": 5\n}\n":              `{"quota":5}`,
		`{"b":1,"a":12345678901234567890.10}`: `{"b":1,"a":12345678901234567890.10}`,
		`{"a":{"a":[{"a":null}]},"b":"é ü 👩‍👧"}`: `{"a":{"a":[{"a":null}]},"b":"é ü 👩‍👧"}`,
	} {
		if got, bad := claim.Parse(typed); bad != nil || got != want {
			t.Errorf("%q gives %q, %v", typed, got, bad)
		}
	}
	deep := strings.Repeat(`{"a":`, 9) + "1" + strings.Repeat("}", 9)
	for typed, want := range map[string]string{
		"[]":                                   "1: the text is not an object",
		"\n\"x\"":                              "2: the text is not an object",
		"{\n\"a\": 1,\n}":                      "3: '}' is not expected here",
		"{\n\"a\": 1\n\"b\": 2}":               "3: '\"' is not expected here",
		"{\n\"a\": 1,":                         "2: the text ends",
		"{\n\"a\": \"x":                        "2: the text ends",
		"{\n\"a\": 1}\n{}":                     "3: '{' is not expected here",
		"{\n\"a\": 01}":                        "2: '1' is not expected here",
		"{'a': 1}":                             "1: '\\'' is not expected here: each name and each text is in double quotes",
		"{\n“a”: 1}":                           "2: '“' is not expected here",
		"{\"a\": \"x\ny\"}":                    "1: '\\n' is not expected here",
		"{\"a\":\n1e999}":                      "2: the number 1e999 is too large",
		strings.Repeat("[", 20_000):            "1: more than 8",
		"{\"a\": {\"sub\": 1},\n\"sub\": 2}":   "2: the name sub already has a meaning in tokens",
		"{\"\\u0065xp\": 1}":                   "1: the name exp already has a meaning in tokens",
		"{\"a\": 1,\n\"a\": 2}":                "2: the name a is there twice",
		"{\"x\": {\"a\": 1,\n\"\\u0061\": 2}}": "2: the name a is there twice",
		"{\n\"a\": \"x\\u202ey\"}":             "2: a text has a character that changes the direction",
		"{\n\"a\\u0000\": 1}":                  "2: a text has",
		"{\"a\": \"\\ud800\"}":                 "1: a text has",
		deep:                                   "1: more than 8",
		`{"a":"` + strings.Repeat("x", 4<<10) + `"}`: "1: the object has 4104 bytes",
		strings.Repeat(" ", 65<<10) + "x":            "1: the object has",
	} {
		got, bad := claim.Parse(typed)
		if bad == nil || got != "" || !strings.HasPrefix(fmt.Sprintf("%d: %s", bad.Line, bad.Why), want) {
			t.Errorf("%.60q gives %q, %+v, want %q", typed, got, bad, want)
		}
	}
}

func TestAdd(t *testing.T) {
	t.Parallel()
	claims := map[string]any{"sub": "id", "email": "a@x.test"}
	claim.Add(claims, []string{
		"quota=claim.quota", "disk=claim.limits.disk", "sub=claim.sub", "email='b@x.test'", "tenant='acme'",
		"none=claim.none", "null=claim.null", "deep=claim.quota.more", "list=claim.list.0", "upn=email",
	}, `{"quota":9007199254740993,"limits":{"disk":"5 GB"},"sub":"other","null":null,"list":[1]}`)
	got, err := json.Marshal(claims)
	const want = `{"disk":"5 GB","email":"a@x.test","quota":9007199254740993,"sub":"id","tenant":"acme"}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	claim.Add(claims, []string{"a=claim.a"}, "")
	if len(claims) != 5 {
		t.Errorf("an account without claims has %v", claims)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`{"a":[1,{"b":"c"}]}`)
	f.Add("{\n")
	f.Fuzz(func(t *testing.T, typed string) {
		text, bad := claim.Parse(typed)
		if bad != nil {
			if bad.Line < 1 || bad.Why == "" {
				t.Errorf("%q: %+v", typed, bad)
			}
			return
		}
		if again, bad := claim.Parse(text); bad != nil || again != text || len(text) > claim.Max {
			t.Errorf("%q is parsed as %q, and that as %q, %v", typed, text, again, bad)
		}
	})
}
