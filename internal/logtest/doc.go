// Package logtest collects what a test's server or process writes.
package logtest
