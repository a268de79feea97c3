package server

import (
	"encoding/json"
	"errors"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
)

// Note records an error for the log entry when the handler writes the response
// itself, for example a form with errors.
func Note(w http.ResponseWriter, err error) {
	if e, ok := w.(*exchange); ok {
		f := asFault(err)
		e.code, e.cause = f.Code, errors.Unwrap(f)
	}
}

// Explain gives the log entry of a request more attributes if the request is refused. explain gets the
// fault code, and the cause or nil.
func Explain(w http.ResponseWriter, explain func(code string, cause error) []slog.Attr) {
	if e, ok := w.(*exchange); ok {
		e.explain = explain
	}
}

// WriteJSON writes v as a JSON response. It returns an error, and writes
// nothing, if v cannot be encoded.
func WriteJSON(w http.ResponseWriter, status int, v any) error {
	return writeJSON(w, "application/json", status, v)
}

// WriteDownload writes v as a JSON file that the browser saves. It is indented,
// because people read it.
func WriteDownload(w http.ResponseWriter, name string, v any) error {
	body, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // fails only if the client has gone
	return nil
}

func writeJSON(w http.ResponseWriter, contentType string, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if e, ok := w.(*exchange); ok {
		e.json = true
	}
	h := w.Header()
	h["Content-Type"] = []string{contentType}
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, _ = w.Write(body) // fails only if the client has gone
	return nil
}
