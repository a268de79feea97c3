package people

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
)

// The published JSON Schema has the fields of Person, and no others.
func TestSchema(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/operating/person.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema node
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	alike(t, "person", schema, reflect.TypeFor[Person]())
}

type node struct {
	Properties map[string]node `json:"properties"`
	Items      *node           `json:"items"`
}

func alike(t *testing.T, at string, n node, kind reflect.Type) {
	t.Helper()
	for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice && n.Items != nil {
		if kind.Kind() == reflect.Slice {
			n = *n.Items
		}
		kind = kind.Elem()
	}
	if kind.Kind() != reflect.Struct || kind.String() == "time.Time" {
		return
	}
	if len(n.Properties) != kind.NumField() {
		t.Errorf("%s: the schema has %d fields, and the format %d", at, len(n.Properties), kind.NumField())
	}
	for i := range kind.NumField() {
		name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
		part, ok := n.Properties[name]
		if !ok {
			t.Errorf("%s: the schema lacks %s", at, name)
			continue
		}
		alike(t, at+"."+name, part, kind.Field(i).Type)
	}
}
