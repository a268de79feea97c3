//go:build race

package gateway_test

// grown is the additional memory per connection under the race detector, in
// percent.
const grown = 150
