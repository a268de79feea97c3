package api

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

//go:generate go test -run TestTypeScript -update

var update = flag.Bool("update", false, "write the generated files")

// The screens are typed by the same structs as the handlers.
func TestTypeScript(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "..", "web", "src", "api", "schema.gen.ts")
	want := typeScript((&API{}).routes())
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("web/src/api/schema.gen.ts is not what the handlers say (%v): run go generate ./internal/server/api", err)
	}
}

func typeScript(routes []route) string {
	types := map[string]reflect.Type{}
	for _, r := range routes {
		for _, body := range []any{r.in, r.out} {
			if body != nil {
				gather(reflect.TypeOf(body), types)
			}
		}
	}
	var b strings.Builder
	b.WriteString("// Made from the handlers by go generate ./internal/server/api; do not edit.\n")
	for _, name := range slices.Sorted(maps.Keys(types)) {
		fmt.Fprintf(&b, "\nexport interface %s {\n", name)
		for f := range types[name].Fields() {
			field, option, _ := strings.Cut(f.Tag.Get("json"), ",")
			if option == "omitempty" {
				field += "?"
			}
			kind := tsType(f.Type)
			if words := enum(f); words != nil {
				kind = "'" + strings.Join(words, "' | '") + "'"
			}
			fmt.Fprintf(&b, "  %s: %s;\n", field, kind)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

func gather(t reflect.Type, types map[string]reflect.Type) {
	switch {
	case t.Kind() == reflect.Slice:
		gather(t.Elem(), types)
	case t.Kind() == reflect.Struct && t.Name() != "":
		types[t.Name()] = t
		for f := range t.Fields() {
			gather(f.Type, types)
		}
	}
}

func tsType(t reflect.Type) string {
	switch {
	case t.Kind() == reflect.String:
		return "string"
	case t.Kind() == reflect.Bool:
		return "boolean"
	case t.Kind() == reflect.Int64, t.Kind() == reflect.Int:
		return "number"
	case t.Kind() == reflect.Slice:
		return tsType(t.Elem()) + "[]"
	}
	return t.Name()
}

// Every operation says what it takes and gives, and each named schema is there.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	routes := (&API{}).routes()
	doc := describe(routes)
	schemas := doc["components"].(object)["schemas"].(object)
	paths := doc["paths"].(object)
	seen := map[string]bool{}
	for _, r := range routes {
		op, ok := paths[r.path].(object)[strings.ToLower(r.method)].(object)
		if !ok || op["summary"] == "" || seen[op["operationId"].(string)] {
			t.Errorf("%s %s: %v", r.method, r.path, op)
			continue
		}
		seen[op["operationId"].(string)] = true
		if _, has := op["requestBody"]; has != (r.in != nil) {
			t.Errorf("%s %s: request body %v", r.method, r.path, has)
		}
	}
	for _, name := range []string{"SignIn", "Next", "Current", "User", "Session", "Sessions", "Device", "Flow", "Resent", "Problem"} {
		if s, ok := schemas[name].(object); !ok || len(s["properties"].(object)) == 0 {
			t.Errorf("schema %s: %v", name, s)
		}
	}
}
