// Package logtest collects the log of a test's server or process.
package logtest
