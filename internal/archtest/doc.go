// Package archtest holds the shape of the code base by tests: which package may
// import which, what every package must have, how large files may grow, that
// every fault has its words, and that every link of the documents leads
// somewhere. It has no code of its own.
//
// It reads source text and does not build it, so that a package which does not
// compile at the moment is judged all the same. Each rule is a function of a
// tree of files that returns what breaks it; the rules are tested on small
// trees, and then run on this repository.
package archtest
