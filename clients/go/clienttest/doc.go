// Package clienttest is a stand-in for Portico in the tests of an app. It signs
// tokens with its own keys and publishes the keys, in memory, without a port.
//
//	portico := clienttest.New(t)
//	app := newApp(portico.Client(client.Options{}))
//	r := httptest.NewRequest("GET", "/", nil)
//	portico.SignIn(r, client.Identity{ID: "1", Email: "mara@example.com"})
//	app.ServeHTTP(w, r)
//
// Trial signs in at the real thing, a running `portico dev` with the app behind
// it.
package clienttest
