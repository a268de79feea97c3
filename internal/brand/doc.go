// Package brand owns how an installation looks: it turns the operator's few
// settings into the tokens of pages and emails, and checks that all text stays
// readable.
//
// A brand has one color for links and focus, a gradient for the main button, a
// radius, a scheme, a font and pictures. The tokens of web/src/ui/tokens.css are
// the default, and Style has only what differs from them. The dark scheme is made
// here: the operator's color becomes lighter until it can be read on dark ground.
//
// Invariants:
//   - Every pair of text and ground that a brand changes has the contrast of WCAG
//     2.2 AA (1.4.3), and a focus ring has the contrast of 1.4.11. New refuses other colors.
//   - Style and Head contain only values that this package has computed. No
//     setting is copied into them as text.
//
// It does not render pages or emails, and it does not speak HTTP.
package brand
