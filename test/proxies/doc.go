// Package proxies runs the configurations of docs/integrating in the proxies that
// they are for, in front of a Portico and an app, and attacks them; and the code of
// the pages for languages that have no client of ours. It reads them from the very
// pages, so that what people paste is what was tried. It has no code of its own.
//
// tools/proxies installs what is run; without one its tests are skipped.
package proxies
