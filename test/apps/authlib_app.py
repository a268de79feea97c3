"""Signs in and out with Authlib: ISSUER CLIENT SECRET REDIRECT_URI EMAIL PASSWORD.

Authlib has no helper for signing out. It makes the URL, and verifies the logout token."""
import os
import queue
import sys
import threading
import warnings
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urljoin, urlsplit

warnings.filterwarnings("ignore")
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # the issuer is on loopback

import requests  # noqa: E402
from authlib.common.security import generate_token  # noqa: E402
from authlib.common.urls import add_params_to_uri  # noqa: E402
from authlib.integrations.requests_client import OAuth2Session  # noqa: E402
from authlib.jose import JsonWebKey, jwt  # noqa: E402

issuer, client_id, secret, redirect, email, password = sys.argv[1:]
found = requests.get(issuer + "/.well-known/openid-configuration").json()
app = OAuth2Session(client_id, secret, scope="openid email offline_access", redirect_uri=redirect, code_challenge_method="S256")
verifier, nonce = generate_token(48), generate_token(20)
url, state = app.create_authorization_url(found["authorization_endpoint"], code_verifier=verifier, nonce=nonce)


class Form(HTMLParser):
    """The form that leads on, with the password or to sign out: where it goes, and its fields."""

    def __init__(self):
        super().__init__()
        self.action, self.fields, self.found = "", {}, False

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        if self.found:
            return
        if tag == "form":
            self.action, self.fields = a.get("action", ""), {}
        if tag == "input" and a.get("type") == "hidden":
            self.fields[a["name"]] = a.get("value", "")
        if tag == "input" and a.get("type") == "password":
            self.fields.update(email=email, password=password)
            self.found = True

    def handle_endtag(self, tag):
        self.found = self.found or tag == "form" and self.action.endswith("/openid/logout/confirm")


class BackChannel(BaseHTTPRequestHandler):
    """Where Portico tells the app that a session has ended."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        told.put(parse_qs(body)["logout_token"][0])
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


def travel(start, end):
    """Follows redirects and submits forms up to a URL of the app, and returns it."""
    answer = browser.get(start, allow_redirects=False)
    for _ in range(12):
        if answer.is_redirect:
            target = urljoin(answer.url, answer.headers["location"])
            if target.startswith(end):
                return target
            answer = browser.get(target, allow_redirects=False)
            continue
        form = Form()
        form.feed(answer.text)
        at = urlsplit(answer.url)
        origin = f"{at.scheme}://{at.netloc}"
        answer = browser.post(urljoin(answer.url, form.action), data=form.fields, headers={"Origin": origin}, allow_redirects=False)
    sys.exit(f"no way back to the app: {answer.status_code} {answer.url}\n{answer.text}")


told = queue.Queue()
here = urlsplit(redirect)
threading.Thread(target=HTTPServer((here.hostname, here.port), BackChannel).serve_forever, daemon=True).start()
browser = requests.Session()
target = travel(url, redirect)
token = app.fetch_token(found["token_endpoint"], authorization_response=target, state=state, code_verifier=verifier)
keys = JsonWebKey.import_key_set(requests.get(found["jwks_uri"]).json())
expected = {"iss": {"essential": True, "value": issuer}, "aud": {"essential": True, "value": client_id}}
claims = jwt.decode(token["id_token"], keys, claims_options=expected)
claims.validate()
assert claims["nonce"] == nonce
user = app.get(found["userinfo_endpoint"]).json()
assert user["sub"] == claims["sub"]
following = app.refresh_token(found["token_endpoint"], refresh_token=token["refresh_token"])
assert following["access_token"] != token["access_token"]

out = urljoin(redirect, "/out")
leave = [("id_token_hint", token["id_token"]), ("post_logout_redirect_uri", out), ("state", "left")]
assert travel(add_params_to_uri(found["end_session_endpoint"], leave), out) == out + "?state=left"
said = jwt.decode(told.get(timeout=120), keys, claims_options=expected)
said.validate()
assert said.header["typ"] == "logout+jwt" and said["sid"] == claims["sid"] and said["sub"] == claims["sub"] and "nonce" not in said
assert "http://schemas.openid.net/event/backchannel-logout" in said["events"]
again, _ = app.create_authorization_url(found["authorization_endpoint"], code_verifier=verifier, prompt="none")
assert "error=login_required" in travel(again, redirect)

app.revoke_token(found["revocation_endpoint"], token=following["refresh_token"])
assert app.get(found["userinfo_endpoint"]).status_code == 401
print(f"signed in as {user['email']}, refreshed, signed out, revoked")
