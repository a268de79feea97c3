package client_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	client "portico.internal/clients/go"
	"portico.internal/clients/go/clienttest"
)

// An app behind the gateway needs two lines, and every handler knows the user.
func Example() {
	portico, err := client.New("https://example.com", client.Options{})
	if err != nil {
		panic(err)
	}
	app := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		person, _ := client.User(r.Context())
		fmt.Fprintf(w, "Hello, %s", person.Name)
	})
	server := httptest.NewServer(portico.Require(app))
	defer server.Close()

	answer, err := server.Client().Post(server.URL, "", nil)
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	fmt.Println(answer.Status, answer.Header.Get("Content-Type"))
	// Output: 401 Unauthorized application/problem+json
}

// Pages for all visitors, and one for administrators.
func ExampleClient_Optional() {
	portico, err := client.New("https://example.com", client.Options{})
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		if person, ok := client.User(r.Context()); ok {
			fmt.Fprintf(w, "Hello, %s", person.Name)
			return
		}
		fmt.Fprint(w, "Hello")
	})
	mux.HandleFunc("GET /admin", func(w http.ResponseWriter, r *http.Request) {
		if person, _ := client.User(r.Context()); !person.HasRole("admin") {
			http.Error(w, "This is for administrators.", http.StatusForbidden)
		}
	})
	app := portico.Optional(mux)
	for _, path := range []string{"/", "/admin"} {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		fmt.Println(w.Code, w.Body)
	}
	// Output:
	// 200 Hello
	// 403 This is for administrators.
}

// The test of an app runs only the app.
func TestExample(t *testing.T) {
	portico := clienttest.New(t)
	app := portico.Client(client.Options{}).Require(greeter)

	r := httptest.NewRequest("GET", "/", nil)
	portico.SignIn(r, client.Identity{ID: "mara"})
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	if w.Body.String() != "mara" {
		t.Errorf("the app greets %s", w.Body)
	}
}

// A program disables everybody who left.
func ExampleAdmin() {
	portico := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			fmt.Println(r.URL.Path)
			fmt.Fprint(w, "{}")
			return
		}
		fmt.Fprint(w, `{"people":[{"id":"06ez4v","address":"mara@example.com"}]}`)
	}))
	defer portico.Close()

	ctx := context.Background()
	admin, err := client.NewAdmin(portico.URL, "portico_key_...", client.Options{})
	if err != nil {
		panic(err)
	}
	type page struct {
		People []struct{ ID, Address string }
	}
	for list, err := range client.Pages[page](ctx, admin, "people", url.Values{"role": {"left"}}) {
		if err != nil {
			panic(err)
		}
		for _, person := range list.People {
			if err := admin.Change(ctx, "people/"+person.ID+"/disable", nil, nil); err != nil {
				panic(err)
			}
		}
	}
	// Output: /auth/api/admin/people/06ez4v/disable
}
