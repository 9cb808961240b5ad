public import Errand
import ErrandJSON
public import Foundation

/// An error of a client, a sign-in or a token request.
public struct OAuthError: Error, Sendable, Hashable {
  /// The server's code, such as `invalid_grant` (RFC 6749 sections 5.2 and 4.1.2.1), or a code of Errand.
  ///
  /// Errand's own codes are `invalid_endpoint`, `invalid_response`, `invalid_state`, `invalid_issuer` and
  /// `not_signed_in`.
  public let code: String
  /// The server's explanation, or a description of the problem; `nil`: none.
  public let explanation: String?
  /// The status of the token response; `nil` without a token response.
  public let status: HTTPResponse.Status?

  init(code: String, description: String?, status: HTTPResponse.Status? = nil) {
    (self.code, explanation, self.status) = (code, description, status)
  }

  /// True for the codes `invalid_grant` and `not_signed_in`, after which a user usually has to sign in.
  public var needsSignIn: Bool { code == "invalid_grant" || code == "not_signed_in" }

  /// Returns the tokens of a response.
  ///
  /// Throws for an error response, and for a response without a usable token. Known secrets are hidden in the
  /// server's error text, because the text may repeat values of the request.
  static func credential(
    of answer: HTTPResponse, sentAt date: Date, keeping old: String?, hiding sent: [Secret]
  ) throws(OAuthError) -> BearerAuthenticator.Credential {
    let json = try? JSONCoding().decode(JSONValue.self, from: answer.body)
    let given = ["access_token", "refresh_token"].compactMap { json?[$0].string.map { Secret($0) } }
    let redaction = Redaction.standard.hiding(secrets: sent + given)
    guard answer.status.isSuccess else {
      let code = json?["error"].string.flatMap {
        $0.utf8.allSatisfy { 0x20...0x7E ~= $0 } ? String(redaction.hidingValues($0).prefix(100)) : nil
      }
      let text = json?["error_description"].string.map { String(redaction.hidingValues($0).prefix(300)) }
      throw OAuthError(code: code ?? "invalid_response", description: text, status: answer.status)
    }
    guard let token = json?["access_token"].string, !token.isEmpty,
      token.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
    else {
      throw OAuthError(
        code: "invalid_response", description: "the response has no usable access_token",
        status: answer.status)
    }
    if let type = json?["token_type"].string, type.lowercased() != "bearer" {
      throw OAuthError(
        code: "invalid_response",
        description:
          "the token_type is \(redaction.hidingValues(type).prefix(40).debugDescription), not Bearer",
        status: answer.status)
    }
    let seconds = json.flatMap { $0["expires_in"].int ?? $0["expires_in"].string.flatMap { Int($0) } }
    let refresh = json?["refresh_token"].string ?? old
    guard let seconds, seconds >= 0 else {
      return BearerAuthenticator.Credential(accessToken: token, refreshToken: refresh)
    }
    return BearerAuthenticator.Credential(
      accessToken: token, refreshToken: refresh, expiresIn: .seconds(min(seconds, 1 << 32)), from: date)
  }
}

extension OAuthError: PrintedByDescription {
  /// A redacted text with the code, and with the status and the explanation, if any.
  public var description: String {
    let status = status.map { " (\($0.code))" } ?? ""
    let text = Redaction.standard.text(explanation.map { "\(code)\(status): \($0)" } ?? "\(code)\(status)")
    return (needsSignIn ? "the user has to sign in again: \(text)" : text).onOneLine.printed
  }
}

extension OAuthError: LocalizedError {
  /// The ``description``.
  public var errorDescription: String? { description }
}
