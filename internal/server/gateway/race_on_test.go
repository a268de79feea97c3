//go:build race

package gateway_test

// grown is how much more memory the race detector makes of a connection, in
// percent: it pads what it watches.
const grown = 150
