"""An authorization server of PyPI's Authlib for the tests, and a service that wants its tokens. Those of client credentials live for twenty seconds.

The client `errand` shows its secret by Basic; the client `app` has none. Refresh tokens are good once.
"""
import collections
import os
import secrets
import time
import types

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc6749.models import AuthorizationCodeMixin
from authlib.oauth2.rfc7636 import CodeChallenge
from flask import Flask, jsonify, request

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
LIFETIMES = {"client_credentials": 20, "authorization_code": 600, "refresh_token": 600}


class Client(ClientMixin):
    def __init__(self, client_id, secret, ways):
        self.client_id, self.secret, self.ways = client_id, secret, ways

    def get_client_id(self): return self.client_id
    def get_default_redirect_uri(self): return None
    def get_allowed_scope(self, scope): return scope or ""
    def check_redirect_uri(self, redirect_uri): return redirect_uri == "com.example.app:/back"
    def check_client_secret(self, client_secret): return client_secret == self.secret
    def check_endpoint_auth_method(self, method, endpoint):
        return method == ("client_secret_basic" if self.secret else "none")
    def check_response_type(self, response_type): return response_type == "code"
    def check_grant_type(self, grant_type): return grant_type in self.ways


class Token(TokenMixin, types.SimpleNamespace):
    def check_client(self, client): return client.client_id == self.client_id
    def get_scope(self): return self.scope
    def get_expires_in(self): return int(self.ends - time.time())
    def is_expired(self): return False
    def is_revoked(self): return self.used


class Code(AuthorizationCodeMixin, types.SimpleNamespace):
    def get_redirect_uri(self): return self.redirect_uri
    def get_scope(self): return self.scope


clients = {
    "errand": Client("errand", "s3cret-1", ["client_credentials", "refresh_token"]),
    "app": Client("app", "", ["authorization_code", "refresh_token"]),
}
tokens, codes, counts = {}, {}, collections.Counter()
user = types.SimpleNamespace(get_user_id=lambda: "ada")


def save_token(token, asked):
    counts[asked.payload.grant_type] += 1
    refresh = token.get("refresh_token", "")
    tokens[refresh or token["access_token"]] = Token(
        client_id=asked.client.client_id, scope=token.get("scope", ""), access_token=token["access_token"],
        ends=time.time() + token["expires_in"], used=False)


class ClientGrant(grants.ClientCredentialsGrant):
    pass


class RefreshGrant(grants.RefreshTokenGrant):
    INCLUDE_NEW_REFRESH_TOKEN = True
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "none"]

    def authenticate_refresh_token(self, refresh_token):
        token = tokens.get(refresh_token)
        return token if token and not token.used else None

    def authenticate_user(self, credential): return user
    def revoke_old_credential(self, credential): credential.used = True


class CodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

    def save_authorization_code(self, code, request):
        payload = request.payload
        codes[code] = Code(
            code=code, client_id=request.client.client_id, redirect_uri=payload.redirect_uri, scope=payload.scope,
            code_challenge=payload.data.get("code_challenge"),
            code_challenge_method=payload.data.get("code_challenge_method"))

    def query_authorization_code(self, code, client):
        found = codes.get(code)
        return found if found and found.client_id == client.client_id else None

    def delete_authorization_code(self, authorization_code): codes.pop(authorization_code.code, None)
    def authenticate_user(self, authorization_code): return user


app = Flask(__name__)
app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
app.config["OAUTH2_TOKEN_EXPIRES_IN"] = LIFETIMES
server = AuthorizationServer(app, query_client=clients.get, save_token=save_token)
server.register_grant(ClientGrant)
server.register_grant(RefreshGrant)
server.register_grant(CodeGrant, [CodeChallenge(required=True)])


@app.post("/token")
def token(): return server.create_token_response()


@app.get("/authorize")
def authorize():
    """Whoever asks has signed in and agrees."""
    return server.create_authorization_response(grant_user=user)


@app.get("/me")
def me():
    shown = request.headers.get("Authorization", "")
    good = any(shown == f"Bearer {token.access_token}" and time.time() < token.ends for token in tokens.values())
    return jsonify(name="Ada") if good else (jsonify(error="invalid_token"), 401, {"WWW-Authenticate": "Bearer"})


@app.get("/counts")
def all_counts(): return jsonify(counts)
