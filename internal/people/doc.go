// Package people reads people from a file: the accounts of another system, or of another
// installation. It owns the own format (Person), its JSON lines and CSV, and the bounds of what is read.
//
// It knows no database, no settings and no rule about what an account may be: it judges the shape
// of a field, and package flow judges its meaning. A password hash is a text here.
//
// Invariants:
//   - The memory that a reader uses does not grow with the file, its lines, columns or values. A file
//     that is read whole takes about 30 times its size at most.
//   - A field that a reader does not take is named in Place.Ignored, for each entry.
//   - A Problem never has the value of a secret.
//   - A Problem concerns one entry, and reading goes on after it. Any other error ends it.
package people
