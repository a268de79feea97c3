// Package api is the door of the JSON API: for the screens when scripts run,
// and for apps that ask who is signed in.
//
// It decodes, calls the desk and encodes; it decides nothing. Every failure is
// a problem document (RFC 9457) that the kit writes.
package api
