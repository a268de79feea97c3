package people

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// exports are the files of other systems.
func exports() []Source {
	return []Source{
		{Name: "keycloak", Recognize: anyOf(has("realm", "id"), has("realm", "users")), Open: openJSON(`{"realm":"","users":[%s]}`, keycloakPerson, "users")},
		{Name: "firebase", Recognize: anyOf(isFirebase, isFirebaseCSV), Open: openFirebase},
		{Name: "zitadel", Recognize: has("orgs"), Open: openJSON(`{"orgs":[{"humanUsers":[%s]}]}`, zitadelPerson, "orgs", "humanUsers")},
		{Name: "pocket-id", Recognize: has("tables"), Open: openPocketID, Whole: true},
		{Name: "supabase", Recognize: has("encrypted_password"), Open: openEither(supabasePerson)},
		{Name: "kratos", Recognize: has("schema_id", "traits"), Open: openJSON("%s", kratosPerson)},
		{Name: "better-auth", Recognize: has("emailVerified", "accounts"), Open: openJSON("%s", betterAuthPerson)},
		{Name: "clerk", Recognize: has("primary_email_address"), Open: openEither(clerkPerson)},
		{Name: "cognito", Recognize: has("cognito:username"), Open: openTable(cognitoPerson)},
		{Name: "auth0", Recognize: isAuth0, Open: openJSON("%s", auth0Person)},
		{Name: "authelia", Recognize: isAuthelia, Open: openAuthelia, Whole: true},
	}
}

// has recognizes a file by its columns, or by the fields of its entries. Nested names do not count: users of a system choose
// some, such as those of metadata, and could have their own data read as people.
func has(names ...string) func(head []byte) bool {
	return func(head []byte) bool {
		found := fieldsIn(head)
		for _, name := range names {
			if !slices.Contains(found, name) {
				return false
			}
		}
		return true
	}
}

// fieldsIn returns the names of the columns of CSV, or of the fields of the entries of JSON: the objects of a list, or one after the other.
func fieldsIn(head []byte) (names []string) {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if !bytes.HasPrefix(head, []byte("{")) && !bytes.HasPrefix(head, []byte("[")) {
		return columnsIn(head)
	}
	in := json.NewDecoder(bytes.NewReader(head))
	for {
		t, err := in.Token()
		if err != nil {
			return names
		}
		for t == json.Delim('{') && in.More() {
			name, err := in.Token()
			if err != nil {
				return names
			}
			names = append(names, name.(string)) // a key is a text
			if in.Decode(new(json.RawMessage)) != nil {
				return names
			}
		}
	}
}

// isFirebase recognizes JSON. Its list is called users, as in other systems, so an entry has to have a localId.
func isFirebase(head []byte) bool {
	return has("users")(head) && bytes.Contains(head, []byte(`"localId"`))
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
	return (err != nil || len(ignored) > 0) && anyOf(has("user_id"), has("_id"), has("password_hash"), has("custom_password_hash"))(head)
}

func isAuthelia(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head, "-# \n"), []byte("users:")) || bytes.Contains(head, []byte("\nusers:"))
}
