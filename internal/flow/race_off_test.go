//go:build !race

package flow_test

const runs = 2
