package security

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/signature"
)

// description is the content of openapi.json.
type description struct {
	*testing.T
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]schema }
}

type operation struct {
	Parameters []struct {
		Name   string
		Schema schema
	}
	RequestBody struct{ Content map[string]media }
	Responses   map[string]struct{ Content map[string]media }
}

type media struct{ Schema schema }

type schema struct {
	Ref                  string `json:"$ref"`
	Type                 string
	Format               string
	Enum                 []string
	AnyOf                []schema
	Items                *schema
	Properties           map[string]schema
	Required             []string
	AdditionalProperties any // a schema, or false
}

// describe returns the description, after it was compared with the mounted
// routes.
func (s *site) describe() *description {
	s.Helper()
	d := &description{T: s.T}
	s.visitor().do("GET", "/auth/api/openapi.json", "", nil).must(200).parse(d)
	for _, pattern := range s.mounted.patterns() {
		if method, path, _ := strings.Cut(pattern, " "); strings.HasPrefix(path, "/auth/api/") && !besideTheAPI(path) && !d.has(method, path) {
			s.Errorf("%s is mounted and not described", pattern)
		}
	}
	for path, methods := range d.Paths {
		for method := range methods {
			if pattern := strings.ToUpper(method) + " " + path; !slices.Contains(s.mounted.patterns(), pattern) {
				s.Errorf("%s is described and not mounted", pattern)
			}
		}
	}
	return d
}

// besideTheAPI reports whether a path belongs to browsers and proxies only, or
// is the description itself.
func besideTheAPI(path string) bool {
	return slices.Contains([]string{"/auth/api/openapi.json", "/auth/api/csp-report", "/auth/api/check", "/auth/api/check/{path...}"}, path)
}

func (d *description) has(method, path string) bool {
	_, ok := d.Paths[path][strings.ToLower(method)]
	return ok
}

// holds compares an answer with the description of its operation.
func (d *description) holds(pattern string, a *answer) *answer {
	d.Helper()
	method, path, _ := strings.Cut(pattern, " ")
	responses := d.Paths[path][strings.ToLower(method)].Responses
	response, ok := responses[fmt.Sprint(a.status)]
	if !ok {
		if a.status < 400 {
			d.Errorf("%s gets status %d, which is not described", pattern, a.status)
		}
		response = responses["default"]
	}
	mediaType, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
	content, ok := response.Content[mediaType]
	switch {
	case len(response.Content) == 0 && a.body == "":
	case !ok:
		d.Errorf("%s gets status %d as %q, which is not described", pattern, a.status, mediaType)
	default:
		var body any
		a.parse(&body)
		d.value(fmt.Sprintf("%s, %d: body", pattern, a.status), content.Schema, body)
	}
	return a
}

// value compares a value with its schema.
func (d *description) value(at string, s schema, v any) {
	d.Helper()
	if s.Ref != "" {
		s = d.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	if either := s.AnyOf; len(either) == 2 { // a time, or ""
		if s = either[0]; v == "" {
			s = either[1]
		}
	}
	switch s.Type {
	case "object":
		d.object(at, s, v)
	case "array":
		list, ok := v.([]any)
		if !ok {
			d.Errorf("%s is %v, not an array", at, v)
		}
		for _, item := range list {
			d.value(at+"[]", *s.Items, item)
		}
	case "string":
		text, ok := v.(string)
		if !ok || s.Enum != nil && !slices.Contains(s.Enum, text) {
			d.Errorf("%s is %v, not a string of %q", at, v, s.Enum)
		}
		if _, err := time.Parse(time.RFC3339, text); s.Format == "date-time" && err != nil {
			d.Errorf("%s: %v", at, err)
		}
	case "integer":
		if n, ok := v.(float64); !ok || n != float64(int64(n)) {
			d.Errorf("%s is %v, not an integer", at, v)
		}
	case "boolean":
		if _, ok := v.(bool); !ok {
			d.Errorf("%s is %v, not a boolean", at, v)
		}
	default:
		d.Errorf("%s has no schema", at)
	}
}

func (d *description) object(at string, s schema, v any) {
	d.Helper()
	fields, ok := v.(object)
	if !ok {
		d.Errorf("%s is %v, not an object", at, v)
	}
	for _, name := range s.Required {
		if _, has := fields[name]; !has {
			d.Errorf("%s has no %s", at, name)
		}
	}
	for name, field := range fields {
		if property, known := s.Properties[name]; known {
			d.value(at+"."+name, property, field)
		} else if s.AdditionalProperties == false || s.AdditionalProperties == nil {
			d.Errorf("%s.%s is not described", at, name)
		}
	}
}

// Times that are missing are described, too: most accounts are not to be erased, and most keys were never used.
func TestOpenAPI_AdminIsWhatIsAnswered(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, func(c *config.Config) {
		c.Webhooks = []config.Webhook{{Name: "shop", URL: "http://127.0.0.1:1/in", Events: []string{"account.roles_changed"}, Secret: signature.NewKey(), Private: true, Key: "webhook.1"}}
	})
	admin, _ := s.admin()
	s.key(admin.id(), "people:read")
	s.roles(s.visitor().register(fresh("v")).whoami(), "editor")
	user := s.operator(fresh("u"), good).ID
	d, chosen := s.describe(), map[string]bool{}
	for _, pattern := range []string{"POST /auth/api/admin/jobs", "POST /auth/api/admin/invitations"} {
		d.holds(pattern, admin.calls(pattern, user).must(200))
	}
	for pattern := range adminOperations() {
		method, path, _ := strings.Cut(pattern, " ")
		if _, file := d.Paths[path]["get"].Responses["200"].Content["*/*"]; method != "GET" || file {
			continue
		}
		for _, id := range []string{user, admin.id(), "shop"} {
			d.holds(pattern, admin.calls(pattern, id))
		}
		for _, p := range d.Paths[path]["get"].Parameters {
			for _, value := range p.Schema.Enum {
				query := "?" + p.Name + "=" + value
				if p.Name == "by" {
					query += "&q=" + admin.whoami()
				}
				chosen[path+query] = true
				d.holds(pattern, admin.get(path+query).must(200))
			}
		}
	}
	for _, path := range []string{"people?by=name-prefix&q=" + admin.whoami(), "people?state=waiting", "people?factor=no-passkey", "people?verified=no", "invitations?state=opened"} {
		if !chosen["/auth/api/admin/"+path] {
			s.Errorf("the description does not have the choice %s", path)
		}
	}
}

// The operations of openapi.json are exactly the mounted ones. Their answers
// match it, for malformed requests and along the normal flows.
func TestOpenAPI_IsWhatIsAnswered(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	s.visitor().get("/auth/signin").must(200) // the server is ready, so everything is mounted
	d := s.describe()
	table := routes()
	for path, methods := range d.Paths {
		for method := range methods {
			pattern := strings.ToUpper(method) + " " + path
			d.holds(pattern, s.visitor().call(pattern, table[pattern]))
		}
	}

	v, address := s.visitor(), fresh("v")
	step := func(operation string, body object) *answer {
		asked := d.Paths["/auth/api/"+operation]["post"].RequestBody.Content["application/json"].Schema
		d.value("the request of "+operation, asked, map[string]any(body)) // with the required fields only
		return d.holds("POST /auth/api/"+operation, v.post(operation, body).must(200))
	}
	ask := func(pattern, id string, status int) *answer {
		method, path, _ := strings.Cut(pattern, " ")
		return d.holds(pattern, v.do(method, strings.Replace(path, "{id}", id, 1), "", v.ours("")).must(status))
	}
	flow := step("signup", object{"email": address, "password": good, "confirm_password": good}).flow()
	ask("GET /auth/api/flows/{id}", flow, 200)
	d.holds("POST /auth/api/resend", v.post("resend", object{"flow": flow})) // sooner than allowed
	s.mail.code(address)
	s.clock.Advance(time.Minute)
	flow = step("resend", object{"flow": flow}).flow()
	code := s.mail.code(address)
	d.holds("POST /auth/api/verify-code", v.post("verify-code", object{"flow": flow, "code": wrong(code)}))
	step("verify-code", object{"flow": flow, "code": code})
	ask("GET /auth/api/session", "", 200)
	elsewhere := s.visitor()
	elsewhere.signIn(address, good).must(200)
	var list struct {
		Sessions []struct {
			ID      string
			Current bool
		}
	}
	ask("GET /auth/api/sessions", "", 200).parse(&list)
	for _, session := range list.Sessions {
		if !session.Current {
			ask("DELETE /auth/api/sessions/{id}", session.ID, 204)
		}
	}
	ask("DELETE /auth/api/sessions", "", 204)
	step("signout", object{})
	step("signin", object{"email": address, "password": good})
	step("signout", object{})
	flow = step("forgot-password", object{"email": address}).flow()
	step("verify-code", object{"flow": flow, "code": s.mail.code(address)})
	const other = "seven lanterns under a copper hill"
	step("reset-password", object{"flow": flow, "password": other, "confirm_password": other})
}
