// Package spoof tries on a deployment that runs what an attacker without a session
// would: headers in which an app could believe, other spellings of a path, requests
// that two programs read differently. It says what gets through.
//
// It knows nothing of the deployment but what it answers. It sends requests that
// change nothing (GET, HEAD, OPTIONS), one at a time.
package spoof
