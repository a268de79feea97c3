package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"portico/internal/goldentest"
	"portico/internal/server/admin"
	"portico/internal/server/form"
	"portico/internal/server/screens"
)

//go:generate go test -run TestTypeScript -update

// The front end generates the types of requests, responses and boot data from
// the handlers' structs.
func TestTypeScript(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"schema.gen.ts": typeScript(append(described((&API{}).routes()), admin.Operations()...)), "shape.gen.mjs": shape()} {
		goldentest.File(t, "../../../web/src/api/"+name, want) // go generate ./internal/server/api writes it
	}
}

const generated = "// Made from the handlers by go generate ./internal/server/api; do not edit.\n"

// leadsOn reports whether an answer names the next page.
func leadsOn(out any) bool {
	_, ok := reflect.TypeOf(out).FieldByName("Next")
	return ok
}

func typeScript(routes []form.Operation) string {
	types := map[string]reflect.Type{}
	gather(reflect.TypeFor[screens.Boot](), types)
	gather(reflect.TypeFor[admin.AdminBoot](), types)
	for _, r := range routes {
		for _, body := range []any{r.In, r.Out} {
			if body != nil {
				gather(reflect.TypeOf(body), types)
			}
		}
	}
	var b strings.Builder
	b.WriteString(generated)
	for _, name := range slices.Sorted(maps.Keys(types)) {
		fmt.Fprintf(&b, "\nexport interface %s {\n", name)
		for f := range types[name].Fields() {
			if !f.IsExported() {
				continue
			}
			field, option, _ := strings.Cut(f.Tag.Get("json"), ",")
			if option == "omitempty" {
				field += "?"
			}
			kind := tsType(f.Type)
			if words := words(f); words != nil {
				kind = "'" + strings.Join(words, "' | '") + "'"
			}
			fmt.Fprintf(&b, "  %s: %s;\n", field, kind)
		}
		b.WriteString("}\n")
	}
	b.WriteString("\n/** The body and the answer of each form that leads to a next page, by its path. */\nexport interface Forms {\n")
	for _, r := range routes {
		if r.Method == http.MethodPost && leadsOn(r.Out) {
			fmt.Fprintf(&b, "  '%s': { in: %s; out: %s };\n", r.Path, tsType(reflect.TypeOf(r.In)), tsType(reflect.TypeOf(r.Out)))
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// words returns the allowed values of a field.
func words(f reflect.StructField) []string {
	if f.Tag.Get("json") == "screen" {
		return screens.Names()
	}
	return enum(f)
}

// shape returns boot data in which every value is empty and every list of
// objects has one item.
func shape() string {
	var b screens.Boot
	fill(reflect.ValueOf(&b).Elem())
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		panic(err)
	}
	return generated + "\n/** @type {import('./schema.gen').Boot} */\nexport const SHAPE = " + string(text) + ";\n"
}

func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		size := 0
		if v.Type().Elem().Kind() == reflect.Struct {
			size = 1
		}
		v.Set(reflect.MakeSlice(v.Type(), size, size))
	case reflect.Struct:
		for f, field := range v.Fields() {
			fill(field)
			if words := words(f); words != nil {
				field.SetString(words[0])
			}
		}
	}
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
	case t.Name() == "":
		return "object" // a form without fields
	}
	return t.Name()
}

// Every operation describes its input and output, and every named schema
// exists.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	routes := append(described((&API{}).routes()), admin.Operations()...)
	doc := describe(routes)
	schemas := doc["components"].(object)["schemas"].(object)
	paths := doc["paths"].(object)
	seen := map[string]bool{}
	for _, r := range routes {
		op, ok := paths[r.Path].(object)[strings.ToLower(r.Method)].(object)
		if !ok || op["summary"] == "" || seen[op["operationId"].(string)] {
			t.Errorf("%s %s: %v", r.Method, r.Path, op)
			continue
		}
		seen[op["operationId"].(string)] = true
		if _, has := op["requestBody"]; has != (r.In != nil) {
			t.Errorf("%s %s: request body %v", r.Method, r.Path, has)
		}
	}
	for _, name := range []string{"SignIn", "Next", "Current", "User", "Session", "Sessions", "Device", "Flow", "Resent", "Problem"} {
		if s, ok := schemas[name].(object); !ok || len(s["properties"].(object)) == 0 {
			t.Errorf("schema %s: %v", name, s)
		}
	}
}
