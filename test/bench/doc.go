// Command bench measures Portico against its limits: what the same machine can
// do at best at the same work, at the same time.
//
// Every row of its table is a ratio. The product and its limit take turns in
// short rounds, each round gives one ratio, and the row shows their median and
// how far apart they are. So a machine that is slow, or busy for a while, is
// slow for both. A row is a figure and never a test: it does not fail.
//
// The product is the real binary with a real database and a mail server that
// takes every mail. The limits are this program, started once more in a role:
// a handler of net/http that does only what no answer can do without, or a
// loop around the hash. All load comes from this process, over loopback, on
// the same cores; a client that shares the cores makes a ratio of throughputs
// kinder, which is why rows also state the processor time of the server.
//
// Portico limits what one network may do, and all load comes from one machine.
// So each request that counts against such a limit names a client of its own
// in X-Forwarded-For, and loopback is a trusted proxy. Nothing else of the
// product is switched off or set: it logs, records and mails as it always does.
//
// It owns its load generator and its data. It does not judge correctness,
// which the suites do, and measures nothing that no limit stands against.
package main
