// Package proxies tests the configurations of docs/integrating. It runs each of
// them in its proxy, in front of a Portico and an app, and attacks it. It also
// runs the code of the pages for languages without a client of ours. It reads
// all of them from the pages, so that operators paste what was tested.
//
// tools/proxies installs the proxies. The tests of a missing proxy are skipped.
package proxies
