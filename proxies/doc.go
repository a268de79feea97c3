// Package proxies runs the configurations of docs/integrating in the proxies that
// they are for, in front of a Portico and an app, and attacks them. It reads them
// from the very pages, so that what people paste is what was tried. It has no code
// of its own.
//
// tools/proxies installs the proxies; without one its tests are skipped.
package proxies
