public import Errand
import ErrandJSON
import Foundation

/// What an authorization server, or an answer in its name, said that gives no token.
public struct OAuthError: Error, Sendable, Hashable {
  /// The code of RFC 6749 section 5.2 or 4.1.2.1, such as `invalid_grant`; where the server gave none, one of these: `invalid_endpoint`,
  /// `invalid_response`, `invalid_state`, `invalid_issuer`, `not_signed_in`.
  public let code: String
  /// What was said besides, or what is wrong.
  public let explanation: String?
  /// The status of the answer; `nil` where there was none.
  public let status: HTTPResponse.Status?

  init(code: String, description: String?, status: HTTPResponse.Status? = nil) {
    (self.code, explanation, self.status) = (code, description, status)
  }

  /// Whether the user has to sign in again: the refresh token has ended, was withdrawn, or never was.
  public var needsSignIn: Bool { code == "invalid_grant" || code == "not_signed_in" }

  /// Reads the answer to a request for a token.
  ///
  /// What servers say of a failure may have what they were sent in it, and is printed by requests that know nothing of that.
  ///
  /// - Parameter sent: the secrets of the request.
  static func credential(
    of answer: HTTPResponse, sentAt date: Date, keeping old: String?, hiding sent: [Secret]
  ) throws(OAuthError) -> BearerAuthenticator.Credential {
    let json = try? JSONCoding().decode(JSONValue.self, from: answer.body)
    let given = ["access_token", "refresh_token"].compactMap { json?[$0].string.map { Secret($0) } }
    let redaction = Redaction.standard.hiding(secrets: sent + given)
    guard answer.status.isSuccess else {
      // A code is printed as it is.
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
        code: "invalid_response", description: "there is no access_token that can be sent",
        status: answer.status)
    }
    if let type = json?["token_type"].string, type.lowercased() != "bearer" {
      throw OAuthError(
        code: "invalid_response",
        description: "the token_type is \(redaction.hidingValues(type).prefix(40).debugDescription)",
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
  /// What to do, the code, and what was said.
  public var description: String {
    let status = status.map { " (\($0.code))" } ?? ""
    let text = Redaction.standard.text(explanation.map { "\(code)\(status): \($0)" } ?? "\(code)\(status)")
    return (needsSignIn ? "the user has to sign in again: \(text)" : text).onOneLine.printed
  }
}
