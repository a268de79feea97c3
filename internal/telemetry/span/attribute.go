package span

import "go.opentelemetry.io/otel/attribute"

// Attribute is a property of a span. The functions below make all attributes
// that exist. Names come from the OpenTelemetry semantic conventions, or begin with
// "portico.".
type Attribute = attribute.KeyValue

// Method is the method of a request; unknown methods are "other".
func Method(m string) Attribute { return attribute.String("http.request.method", m) }

// Route is the pattern of a route, never the requested path.
func Route(pattern string) Attribute { return attribute.String("http.route", pattern) }

// Status is the status code of a response.
func Status(code int) Attribute { return attribute.Int("http.response.status_code", code) }

// Host is the configured server of an outgoing call.
func Host(name string) Attribute { return attribute.String("server.address", name) }

// RequestID is the id of the request in the log.
func RequestID(id string) Attribute { return attribute.String("portico.request_id", id) }

// Step, Flow and Outcome are names of internal/flow.
func Step(name string) Attribute { return attribute.String("portico.step", name) }

// Flow is the kind of a flow.
func Flow(kind string) Attribute { return attribute.String("portico.flow", kind) }

// Outcome is how a step ended.
func Outcome(word string) Attribute { return attribute.String("portico.outcome", word) }

// Template and Message identify an email without its address.
func Template(name string) Attribute { return attribute.String("portico.mail.template", name) }

// Message is the id of a mail.
func Message(id string) Attribute { return attribute.String("portico.mail.id", id) }
