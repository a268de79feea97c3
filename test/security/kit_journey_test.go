package security

import "strings"

// cookie returns the value of one of the site's cookies.
func (v *visitor) cookie(purpose string) string { return v.cookies[v.cookieName(purpose)] }

func (v *visitor) cookieName(purpose string) string {
	if v.secure {
		return "__Host-portico-" + purpose
	}
	return "portico-" + purpose
}

// signUp begins a registration and returns its flow.
func (v *visitor) signUp(address, password string) (flow string) {
	v.Helper()
	return v.post("signup", object{"email": address, "password": password, "confirm_password": password}).flow()
}

// verify submits a code.
func (v *visitor) verify(flow, code string) *answer {
	v.Helper()
	return v.post("verify-code", object{"flow": flow, "code": code})
}

// register creates an account by the normal registration. The visitor is signed
// in afterwards.
func (v *visitor) register(address string) *visitor {
	v.Helper()
	flow := v.signUp(address, good)
	v.verify(flow, v.mail.next(address).code(v.T)).must(200)
	return v
}

// signIn submits an address and a password.
func (v *visitor) signIn(address, password string) *answer {
	v.Helper()
	return v.post("signin", object{"email": address, "password": password})
}

// signedIn creates an account, and returns a browser that has signed in to it by password.
func (s *site) signedIn() (v *visitor, address string) {
	s.Helper()
	v, address = s.visitor(), fresh("v")
	s.operator(address, good)
	v.signIn(address, good).must(200)
	return v, address
}

// signInTo signs in on the way to a return target, and returns where the browser goes.
func (v *visitor) signInTo(address, to string) string {
	v.Helper()
	return v.post("signin", object{"email": address, "password": good, "return_to": to}).next()
}

// forgot begins a recovery and returns its flow.
func (v *visitor) forgot(address string) (flow string) {
	v.Helper()
	return v.post("forgot-password", object{"email": address}).flow()
}

// reset sets a new password in a flow whose code was accepted.
func (v *visitor) reset(flow, password string) *answer {
	v.Helper()
	return v.post("reset-password", object{"flow": flow, "password": password, "confirm_password": password})
}

// open opens an emailed link. Afterwards the confirm button works.
func (v *visitor) open(token string) *answer {
	v.Helper()
	v.get("/auth/confirm-link?token=" + token).must(303)
	return v.get("/auth/confirm-link")
}

// whoami returns the address of the signed-in user, or "".
func (v *visitor) whoami() string {
	v.Helper()
	a := v.do("GET", "/auth/api/session", "", nil)
	if a.status == 401 {
		return ""
	}
	var body struct {
		User struct {
			Email string `json:"email"`
		} `json:"user"`
	}
	a.must(200).parse(&body)
	return body.User.Email
}

// with returns another browser that has a copy of the session token.
func (s *site) with(token string) *visitor {
	v := s.visitor()
	v.cookies[v.cookieName("session")] = token
	return v
}

// wrong returns a code that differs from the given one.
func wrong(code string) string {
	return strings.Map(func(r rune) rune { return '0' + (r-'0'+5)%10 }, code)
}
