package security

import (
	"bufio"
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

const picturePath = "/auth/account/profile/picture"

// picture returns a PNG of a size.
func picture(t *testing.T, width, height int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// upload gives a picture as the form of the profile does.
func (v *visitor) upload(account string, data []byte, name string) *answer {
	v.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("account", account) // a buffer takes all
	part, err := form.CreateFormFile("picture", name)
	if err != nil {
		v.Fatal(err)
	}
	_, _ = part.Write(data)
	_ = form.Close()
	return v.do("POST", picturePath, body.String(), v.ours(form.FormDataContentType())).keep()
}

var portraitPath = regexp.MustCompile(`/auth/picture/[A-Za-z0-9_-]{43}`)

// portrait returns the address of the user's picture, "" for none.
func (v *visitor) portrait() string {
	v.Helper()
	return portraitPath.FindString(v.get("/auth/account/profile").must(200).body)
}

func TestSEC288_AFileIsAPictureOrNothing(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v := s.visitor().register(fresh("v"))
	id := v.id()
	good := picture(t, 300, 200)
	bomb := bytes.Clone(good)
	copy(bomb[16:], "\x00\x00\xea\x60\x00\x00\xea\x60") // 60,000 by 60,000
	for name, data := range map[string][]byte{
		"photo.svg":  []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><script>alert(1)</script></svg>`),
		"photo.png":  []byte("<!doctype html><script>alert(1)</script>"),
		"bomb.png":   bomb,
		"wide.png":   picture(t, 1<<22+1, 1),
		"cut.png":    good[:50],
		"large.png":  append(bytes.Clone(good), make([]byte, 3<<20)...),
		"scans.jpg":  []byte("\xff\xd8" + strings.Repeat("\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00", 10_000)),
		"magic.jpg":  []byte("\xff\xd8\xff\xe0\x00\x10JFIF"),
		"nothing":    nil,
		"../../etc":  []byte("GIF89a"),
		"photo.webp": []byte("RIFF\xff\xff\xff\xffWEBPVP8L\xff\xff\xff\xff\x2f\xff\xff\xff\xff"),
	} {
		if a := v.upload(id, data, name).must(422); !strings.Contains(a.body, "picture.unusable") || v.portrait() != "" {
			t.Fatalf("%s is a picture now", name)
		}
	}
	// A picture that is something else, too: only what it shows is kept.
	const hidden = "<script>alert(1)</script>"
	v.upload(id, append(good, hidden...), hidden+".html").must(303)
	path := v.portrait()
	got := s.visitor().get(path).must(200)
	if drawn, err := jpeg.DecodeConfig(strings.NewReader(got.body)); err != nil || drawn.Width != 256 || drawn.Height != 256 || strings.Contains(got.body, "script") {
		t.Errorf("the served file: %+v, %v", drawn, err)
	}
	for name, want := range map[string]string{"Content-Type": "image/jpeg", "X-Content-Type-Options": "nosniff"} {
		if got.header.Get(name) != want {
			t.Errorf("%s: %s", name, got.header.Get(name))
		}
	}
	if policy := got.header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "sandbox") {
		t.Errorf("opened by itself, the file has the policy %q", policy)
	}
	if len(got.header.Values("Set-Cookie")) > 0 {
		t.Error("the file sets a cookie")
	}
}

func TestSEC289_APictureIsTheUsersOwn(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v, thief := s.visitor().register(fresh("v")), s.visitor().register(fresh("thief"))
	id, data := v.id(), picture(t, 4, 4)
	if a := s.visitor().upload(id, data, "x.png").must(303); !strings.HasPrefix(a.header.Get("Location"), "/auth/signin?") {
		t.Errorf("without a session: %s", a.header.Get("Location"))
	}
	thief.upload(id, data, "x.png").must(409) // with the page that names the thief
	if v.portrait() != "" || thief.portrait() != "" {
		t.Error("a form for another account gave somebody a picture")
	}
	evil := v.ours("multipart/form-data; boundary=x")
	evil.Set("Origin", "https://evil.test")
	v.do("POST", picturePath, "--x--", evil).must(403)
	v.upload(id, data, "x.png").must(303)
	first := v.portrait()
	s.visitor().get(first).must(200)
	v.upload(id, data, "x.png").must(303)
	second := v.portrait()
	if second == first {
		t.Error("a new picture has the address of the former one")
	}
	s.visitor().get(first).must(404)
	if a := v.get("/auth/api/session").must(200); !strings.Contains(a.body, second) {
		t.Errorf("apps are told of another picture: %s", a.body)
	}
	for _, guess := range []string{"/auth/picture/" + id, "/auth/picture/..", second[:len(second)-1] + "%00", second[:len(second)-1]} {
		if a := s.visitor().do("GET", guess, "", http.Header{}); a.status == 200 {
			t.Errorf("%s is a picture", guess)
		}
	}
	remove := func(who *visitor) *answer {
		return who.do("POST", picturePath+"/remove", "account="+id, who.ours("application/x-www-form-urlencoded")).keep()
	}
	remove(thief)
	s.visitor().get(second).must(200)
	remove(v).must(303)
	if a := v.get("/auth/api/session").must(200); strings.Contains(a.body, "picture") {
		t.Errorf("apps are told of a removed picture: %s", a.body)
	}
	s.visitor().get(second).must(404)
}

func TestSEC476_SlowPictures(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	v, other := s.visitor().register(fresh("v")), s.visitor().register(fresh("other"))
	const kind = "multipart/form-data; boundary=x"
	c := s.connect()
	_, _ = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: portico.test\r\nOrigin: %s\r\nCookie: %s\r\nContent-Type: %s\r\nContent-Length: 100000\r\nExpect: 100-continue\r\n\r\n", picturePath, v.origin, v.cookieLine(), kind)
	if status, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(status, " 100 ") { // the server reads the form now
		t.Fatalf("%q, %v", status, err)
	}
	if second := v.do("POST", picturePath, "no form", v.ours(kind)).must(503); second.header.Get("Retry-After") == "" {
		t.Errorf("no Retry-After: %v", second.header)
	}
	id := other.id()
	other.upload(id, picture(t, 4, 4), "x.png").must(303)
	part := func(name, more, content string) string {
		return "--x\r\nContent-Disposition: form-data; name=" + name + more + "\r\n\r\n" + content + "\r\n"
	}
	huge := part("account", "", id) + part("picture", "; filename="+strings.Repeat("x", 3<<20), string(picture(t, 4, 4))) + "--x--\r\n"
	other.do("POST", picturePath, huge, other.ours(kind)).must(400)
}
