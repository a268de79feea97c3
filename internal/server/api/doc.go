// Package api serves the JSON API, for the screens with script and for apps
// that ask about the session.
//
// It decodes requests, calls a form.Actions and encodes results. It decides
// nothing. Package server writes errors as problem documents (RFC 9457).
//
// URLs: /auth/api/... as listed by routes, and their description in OpenAPI.
package api
