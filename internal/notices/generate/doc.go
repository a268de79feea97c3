// Command generate writes NOTICES.txt of internal/notices: names, versions and
// licenses. It lists the Go modules that the Go command links into portico, the
// npm packages that the screens bundle, and the data that Portico embeds.
//
// Run it with `go generate ./internal/notices` after a change of go.mod or of
// web/package-lock.json. It needs web/node_modules.
package main
