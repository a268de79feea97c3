//go:build !race

package gateway_test

const grown = 100
