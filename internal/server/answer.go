package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
)

// SeeOther sends the browser on with a GET. The location is a path of ours or a
// URL that has been checked against the allow-list. It returns nil, so that a
// handler ends with it.
func SeeOther(w http.ResponseWriter, location string) error {
	w.Header().Set("Location", location)
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// Note records the error that a handler answers by itself, a form shown again
// with its faults, so that the log line has the code and the cause.
func Note(w http.ResponseWriter, err error) {
	if e, ok := w.(*exchange); ok {
		f := asFault(err)
		e.code, e.cause = f.Code, errors.Unwrap(f)
	}
}

// WriteJSON answers with v as JSON.
func WriteJSON(w http.ResponseWriter, status int, v any) error {
	return writeJSON(w, "application/json", status, v)
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
	_, _ = w.Write(body) // fails only when the client has gone
	return nil
}
