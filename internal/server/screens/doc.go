// Package screens serves the documents that visitors see. It fills the
// templates of the built front end, and handles their forms without script.
//
// There is one document per screen and locale, and one per screen with a mark in
// place of each text, for locales with texts of the operator. React renders it at build time,
// with its style inline and allowed by hash. At its first use, brand, policy and
// providers are filled in. A document without data of the request is served
// compressed from memory. Otherwise it is filled for the request: with an
// error, typed values or the state of a flow. The document contains the same
// data as JSON, from which the script starts.
//
// The package decides nothing; the flows do.
package screens
