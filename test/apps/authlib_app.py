"""Signs in with Authlib: ISSUER CLIENT SECRET REDIRECT_URI EMAIL PASSWORD."""
import os
import sys
import warnings
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

warnings.filterwarnings("ignore")
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # the issuer is on loopback

import requests  # noqa: E402
from authlib.common.security import generate_token  # noqa: E402
from authlib.integrations.requests_client import OAuth2Session  # noqa: E402
from authlib.jose import JsonWebKey, jwt  # noqa: E402

issuer, client_id, secret, redirect, email, password = sys.argv[1:]
found = requests.get(issuer + "/.well-known/openid-configuration").json()
app = OAuth2Session(client_id, secret, scope="openid email offline_access", redirect_uri=redirect, code_challenge_method="S256")
verifier, nonce = generate_token(48), generate_token(20)
url, state = app.create_authorization_url(found["authorization_endpoint"], code_verifier=verifier, nonce=nonce)


class Form(HTMLParser):
    """The form with the password: where it goes, and its hidden fields."""

    def __init__(self):
        super().__init__()
        self.action, self.fields, self.found = "", {}, False

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        if tag == "form" and not self.found:
            self.action, self.fields = a.get("action", ""), {}
        if tag == "input" and a.get("type") == "hidden" and not self.found:
            self.fields[a["name"]] = a.get("value", "")
        self.found = self.found or (tag == "input" and a.get("type") == "password")


browser = requests.Session()
answer = browser.get(url, allow_redirects=False)
for _ in range(12):
    if answer.is_redirect:
        target = urljoin(answer.url, answer.headers["location"])
        if target.startswith(redirect):
            break
        answer = browser.get(target, allow_redirects=False)
        continue
    form = Form()
    form.feed(answer.text)
    at = urlsplit(answer.url)
    fields = {**form.fields, "email": email, "password": password}
    origin = f"{at.scheme}://{at.netloc}"
    answer = browser.post(urljoin(answer.url, form.action), data=fields, headers={"Origin": origin}, allow_redirects=False)
else:
    sys.exit(f"no way back to the app: {answer.status_code} {answer.url}\n{answer.text}")

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
app.revoke_token(found["revocation_endpoint"], token=following["refresh_token"])
assert app.get(found["userinfo_endpoint"]).status_code == 401
print(f"signed in as {user['email']}, refreshed, revoked")
