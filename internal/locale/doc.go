// Package locale owns the words of Portico: it reads the message catalogue that
// the web client and the Go side share, chooses the locale of a request, and
// fills placeholders and plural forms.
//
// It does not own wording (web/src/i18n/messages), and it does not escape: the
// caller that writes a text into HTML or a header must escape it.
//
// A catalogue file is one flat JSON object, named <locale>.json. A value is a
// text with {name} placeholders, or an object of CLDR plural forms of which the
// parameter count picks one.
//
// To add a locale, add its catalogue file, its name in EMPTY of
// web/fixtures/states.mjs and its emails by go test ./internal/mailer -update. The
// check of web fails for a placeholder or plural form that is missing, and lists missing keys.
//
// French addresses the reader as vous, German as Sie and Spanish as tú. Arabic is
// modern standard Arabic with Western digits.
//
// Invariants:
//   - A catalogue does not change once it is loaded. Replace returns another one,
//     with texts of the operator.
//   - A placeholder inside a parameter's value stays as it is.
//   - In a text from right to left, a value that is not a number is isolated
//     (UAX 9), so that an address in Latin letters moves no word.
//   - A missing text falls back to the default locale and then to its own key, so
//     that no page fails because of it. A key that ends in a value of the database
//     has a neutral text for values of a later version (TextOr).
package locale
