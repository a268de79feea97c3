// Package screens is the door of the documents that people see: it fills the
// templates that the front end was built into, and takes their forms when no
// script does.
//
// A document is one file a screen and locale, rendered by React at build time,
// with its style inlined and allowed by hash. Brand, policy and providers are
// filled in when the server starts; a document that shows nothing of the
// request is served from memory, compressed. What a request changes (an error,
// a value that was typed, the state of a flow) is filled in for it, and the
// same data lies in the document as JSON, so that the script starts from it.
//
// It decides nothing: the desk does.
package screens
