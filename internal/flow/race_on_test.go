//go:build race

package flow_test

// runs is how often a transaction runs. A second time and a look at all accounts for each transaction take
// half of the processor time, and have no race that the first time has not: the stage unit does both.
const runs = 1
