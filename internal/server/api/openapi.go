package api

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"portico/internal/once"
	"portico/internal/server"
	"portico/internal/server/form"
)

// object is a JSON object of the description.
type object = map[string]any

// openAPI serves the description of the API (OpenAPI 3.1), derived from the
// types of its bodies.
func (a *API) openAPI(w http.ResponseWriter, r *http.Request) error {
	return server.WriteJSON(w, http.StatusOK, describe(append(described(a.routes()), a.more...)))
}

// described returns what the table says without the handlers.
func described(routes []route) []form.Operation {
	all := make([]form.Operation, len(routes))
	for i, r := range routes {
		all[i] = r.Operation
	}
	return all
}

func describe(routes []form.Operation) object {
	schemas := object{"Problem": problemSchema()}
	paths := object{}
	for _, r := range routes {
		item, ok := paths[r.Path].(object)
		if !ok {
			item = object{}
			paths[r.Path] = item
		}
		item[strings.ToLower(r.Method)] = operation(r, schemas)
	}
	return object{
		"openapi": "3.1.0",
		"info": object{
			"title": "Portico", "version": "1",
			"description": "Signing in, registering and recovering an account; who is signed in. Writes need the header Origin of the site, or Sec-Fetch-Site.",
		},
		"paths": paths,
		"components": object{
			"schemas": schemas,
			"securitySchemes": object{
				"session": object{"type": "apiKey", "in": "cookie", "name": "__Host-portico-session"},
				"key":     object{"type": "http", "scheme": "bearer", "description": "An API key, for the admin API alone. The list of an operation has the scope that it needs."},
			},
		},
	}
}

func operation(r form.Operation, schemas object) object {
	op := object{"summary": r.Summary, "operationId": operationID(r)}
	var parameters []object
	for _, name := range wildcards(r.Path) {
		parameters = append(parameters, object{"name": name, "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for _, name := range r.Query {
		schema := object{"type": "string"}
		if some, ok := r.Choices[name]; ok {
			schema["enum"] = some
		}
		parameters = append(parameters, object{"name": name, "in": "query", "schema": schema})
	}
	if r.Access.Admin {
		parameters = append(parameters, secured(op, r)...)
	}
	if parameters != nil {
		op["parameters"] = parameters
	}
	if _, file := r.In.(form.File); file {
		op["requestBody"] = object{"required": true, "content": object{"*/*": object{"schema": object{"type": "string", "format": "binary"}}}}
	} else if r.In != nil {
		op["requestBody"] = object{"required": true, "content": content("application/json", reflect.TypeOf(r.In), schemas)}
	}
	done := object{"description": "Done"}
	status := "204"
	if r.Out != nil {
		status = "200"
	}
	if _, file := r.Out.(form.File); file {
		done["content"] = object{"*/*": object{"schema": object{"type": "string", "format": "binary"}}}
	} else if r.Out != nil {
		done["content"] = content("application/json", reflect.TypeOf(r.Out), schemas)
	}
	op["responses"] = object{
		status: done,
		"default": object{
			"description": "What is wrong (RFC 9457)",
			"content":     object{"application/problem+json": object{"schema": reference("Problem")}},
		},
	}
	return op
}

// secured says who may call an operation of the admin API, and returns its headers.
func secured(op object, r form.Operation) (parameters []object) {
	ways := []object{{"session": []string{}}}
	if r.Access.Scope != "" {
		ways = append(ways, object{"key": []string{r.Access.Scope}})
	}
	op["security"] = ways
	if _, file := r.In.(form.File); r.In != nil && !file {
		parameters = append(parameters, object{
			"name": once.Header, "in": "header", "schema": object{"type": "string", "maxLength": once.MostKey},
			"description": "The same request with the same text, within 24 hours, changes nothing again and gets the first answer.",
		})
	}
	return parameters
}

func operationID(r form.Operation) string {
	name := strings.NewReplacer("/auth/api/", "", "/", "-", "{", "", "}", "").Replace(r.Path)
	return strings.ToLower(r.Method) + "-" + name
}

// wildcards returns the names of the parameters in a path.
func wildcards(path string) (names []string) {
	for {
		_, rest, found := strings.Cut(path, "{")
		if !found {
			return names
		}
		var name string
		name, path, _ = strings.Cut(rest, "}")
		names = append(names, name)
	}
}

func content(mediaType string, t reflect.Type, schemas object) object {
	return object{mediaType: object{"schema": schema(t, schemas)}}
}

func reference(name string) object { return object{"$ref": "#/components/schemas/" + name} }

// schema describes a type. A named struct is added to schemas once.
func schema(t reflect.Type, schemas object) object {
	switch {
	case t == reflect.TypeFor[form.Moment]():
		return object{"type": "string", "format": "date-time"}
	case t.Kind() == reflect.String:
		return object{"type": "string"}
	case t.Kind() == reflect.Bool:
		return object{"type": "boolean"}
	case t.Kind() == reflect.Int64, t.Kind() == reflect.Int:
		return object{"type": "integer"}
	case t.Kind() == reflect.Slice:
		return object{"type": "array", "items": schema(t.Elem(), schemas)}
	case t.Kind() == reflect.Map:
		return object{"type": "object", "additionalProperties": schema(t.Elem(), schemas)}
	case t.Name() == "":
		return structure(t, schemas)
	}
	if _, ok := schemas[t.Name()]; !ok {
		schemas[t.Name()] = object{} // a type may contain itself
		schemas[t.Name()] = structure(t, schemas)
	}
	return reference(t.Name())
}

func structure(t reflect.Type, schemas object) object {
	properties, required := object{}, []string{}
	for f := range t.Fields() {
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		if option != "omitempty" {
			required = append(required, name)
		}
		property := schema(f.Type, schemas)
		if f.Tag.Get("empty") != "" {
			property = object{"anyOf": []object{property, {"type": "string", "enum": []string{""}}}}
		}
		if words := enum(f); words != nil {
			property["enum"] = words
		}
		properties[name] = property
	}
	return closed(properties, required)
}

// enum returns the allowed values of a field. A leading space in the tag stands
// for the empty value.
func enum(f reflect.StructField) []string {
	tag, ok := f.Tag.Lookup("enum")
	if !ok {
		return nil
	}
	return strings.Split(tag, " ")
}

// problemSchema describes a problem document. All its members are always
// present.
func problemSchema() object {
	text, params := object{"type": "string"}, object{"type": "object", "additionalProperties": object{"type": "string"}}
	field := whole(object{"name": text, "code": text, "params": params})
	return whole(object{
		"type": text, "title": text, "status": object{"type": "integer"}, "code": text, "params": params,
		"fields":      object{"type": "array", "items": field},
		"retry_after": object{"type": "integer", "description": "Seconds; 0 when waiting does not help"},
		"request_id":  text,
	})
}

// whole describes an object with exactly these properties, all required.
func whole(properties object) object {
	return closed(properties, slices.Collect(maps.Keys(properties)))
}

// closed describes an object without other properties.
func closed(properties object, required []string) object {
	slices.Sort(required)
	return object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}
