// Package document keeps what other servers publish, such as the keys of a provider,
// and decides when it is loaded again.
//
// It does not know what a document says, or how it is loaded.
package document
