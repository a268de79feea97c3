// Package archtest checks the shape of the code base by tests. It checks which
// package may import which, what every package must have, and how large files
// and documents may grow. It also checks that every fault has its words, that links, paths and
// make targets and log entries in the documents exist, and that documents and comments are plain English.
// The path of a page is written in one package only.
//
// The rules read source text and do not build it, so that they also judge a
// package that does not compile. Each rule is a function of a tree of files that
// returns what breaks it. Each rule is tested on a small tree, and then runs on
// this repository. The package has only tests.
package archtest
