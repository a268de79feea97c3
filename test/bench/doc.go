// Command bench compares Portico with its limits: with the best that the same
// machine can do at the same work, at the same time.
//
// Every row of its table is a ratio. The product and its limit take turns in
// short rounds. Each round gives one ratio, and the row shows their median and
// their spread. A machine that is slow, or busy for a while, is slow for both.
// A row is a figure and not a test: it cannot fail.
//
// The product is the real binary with a real database and a mail server that
// accepts every email. A limit is this program, started again in a role. It is
// either a handler of net/http that does only the necessary work, or a loop
// around the hash.
//
// All load comes from this process, over loopback, on the same cores. A client
// that shares the cores brings a ratio of throughputs closer to 1. So rows also
// state the processor time of the server.
//
// Portico limits the requests of one network, and all load comes from one
// machine. So each request that counts against such a limit names a client of
// its own in X-Forwarded-For, and loopback is a trusted proxy. The other
// settings of the product have their defaults: it logs, records and sends email
// as always.
//
// The package owns its load generator and its data. It does not check
// correctness, which the test suites do. It measures nothing without a limit to
// compare with.
package main
