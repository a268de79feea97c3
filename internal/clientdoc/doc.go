// Package clientdoc loads what apps publish about themselves: documents at an https
// address that is also the id of the app (OAuth Client ID Metadata Document), and keys
// that such a document names.
//
// It does not know what a document says, or who may have it loaded.
//
// Anyone can make Portico ask an address of their choice. Therefore
//
//   - an address has one spelling, and the guard of package egress dials it: public
//     hosts only, or only the origins that the operator has named;
//   - a redirect, another status, another type than JSON and a document of more than
//     maxBytes are errors. An exchange ends after timeout;
//   - at most maxLoads exchanges run at a time, and maxKept documents are kept;
//   - only a good document is kept, for keepFor. After that it counts no more: what an
//     app withdraws ends here within minutes.
package clientdoc
