// Package spoof attacks a running deployment as a client without a session. It
// sends identity headers that an app could trust, other spellings of the path,
// and requests that two programs parse differently. It reports which requests
// get through.
//
// It judges a deployment only by its responses. It sends one request at a time,
// and only GET, HEAD and OPTIONS, which change nothing.
package spoof
