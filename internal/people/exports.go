package people

import (
	"bytes"
	"strings"
)

// exports are the files of other systems.
func exports() []Source {
	return []Source{
		{Name: "keycloak", Recognize: anyOf(has(`"realm"`, `"id"`), has(`"realm"`, `"users"`)), Open: openJSON("users", `{"realm":"","users":[%s]}`, keycloakPerson)},
		{Name: "firebase", Recognize: anyOf(has(`"users"`, `"localId"`), isFirebaseCSV), Open: openFirebase},
		{Name: "zitadel", Recognize: has(`"orgs"`), Open: openJSON("humanUsers", `{"orgs":[{"humanUsers":[%s]}]}`, zitadelPerson)},
		{Name: "pocket-id", Recognize: has(`"tables"`), Open: openPocketID, Whole: true},
		{Name: "supabase", Recognize: has(`encrypted_password`), Open: openEither(supabasePerson)},
		{Name: "kratos", Recognize: has(`"schema_id"`, `"traits"`), Open: openJSON("", "%s", kratosPerson)},
		{Name: "better-auth", Recognize: has(`"emailVerified"`, `"accounts"`), Open: openJSON("", "%s", betterAuthPerson)},
		{Name: "clerk", Recognize: has(`primary_email_address`), Open: openEither(clerkPerson)},
		{Name: "cognito", Recognize: has(`cognito:username`), Open: openTable(cognitoPerson)},
		{Name: "auth0", Recognize: isAuth0, Open: openJSON("", "%s", auth0Person)},
		{Name: "authelia", Recognize: isAuthelia, Open: openAuthelia, Whole: true},
	}
}

// has recognizes a file whose beginning has all of the words.
func has(words ...string) func(head []byte) bool {
	return func(head []byte) bool {
		for _, word := range words {
			if !bytes.Contains(head, []byte(word)) {
				return false
			}
		}
		return true
	}
}

func anyOf(tests ...func(head []byte) bool) func(head []byte) bool {
	return func(head []byte) bool {
		for _, test := range tests {
			if test(head) {
				return true
			}
		}
		return false
	}
}

// isFirebaseCSV reports whether the first line has as many values as Firebase writes, without
// names.
func isFirebaseCSV(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	values, err := split(bytes.TrimSpace(line))
	return err == nil && len(values) >= 26 && len(values) <= len(firebaseColumns()) && strings.Contains(values[1], "@")
}

// isAuth0 looks for words that the claims of the own format may have too.
func isAuth0(head []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimSpace(head), []byte("\n"))
	ignored, err := decode(line, &Person{}, nil)
	return (err != nil || len(ignored) > 0) && anyOf(has(`"user_id"`), has(`"$oid"`), has(`"password_hash"`), has(`"custom_password_hash"`))(head)
}

func isAuthelia(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head, "-# \n"), []byte("users:")) || bytes.Contains(head, []byte("\nusers:"))
}
