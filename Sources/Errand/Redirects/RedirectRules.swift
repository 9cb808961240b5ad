import Foundation

/// The rules of redirects (RFC 9110 section 15.4), without any effect of their own.
struct RedirectRules: Sendable {
  /// How many are followed.
  let limit: Int
  /// Knows what the agent's user regards as secret, besides the names of ``Redaction/standard``; asked for where a
  /// redirect leaves its origin.
  private let confidential: @Sendable () -> Redaction

  init(limit: Int, redaction: @autoclosure @escaping @Sendable () -> Redaction) {
    self.limit = limit
    confidential = redaction
  }

  /// Where a response leads; `nil` when it is no redirect, or its `Location` is missing or unusable.
  ///
  /// 300 leaves the choice to the caller, 304 is an answer, 305 and 306 are obsolete. Several `Location` fields that
  /// disagree are unusable.
  func target(of response: HTTPResponse, to sent: URL) -> URL? {
    guard limit > 0, response.status.isFollowedRedirect else { return nil }
    let locations = Set(response.headers.values(for: "Location"))
    guard locations.count == 1, let location = locations.first else { return nil }
    return URLParts(absolute: sent.absoluteString)?.resolve(location)
  }

  /// The request that follows, before hooks.
  ///
  /// - Parameters:
  ///   - built: the request as it was before its `filterRequest` hooks, whose work is done anew for each hop.
  ///   - sent: what the hooks made of it.
  func next(
    after status: HTTPStatus, _ built: HTTPRequest, sent: HTTPRequest, to target: URL
  ) -> HTTPRequest {
    var next = built
    next.url = target
    if asksToGet(sent.method, status) {
      if sent.method != .head { next.method = .get }
      next.body = .none
      next.headers.fields.removeAll { Self.describesBody($0.name) }
    }
    if !Origin.same(sent.url, target) { dropCredentials(of: next.headers, from: &next.headers) }
    return next
  }

  /// Removes the credentials that `carried` has too; those that somebody put there since stay.
  func dropCredentials(of carried: HTTPHeaders, from headers: inout HTTPHeaders) {
    let redaction = confidential()
    headers.fields.removeAll { field in
      Self.isCredential(field, redaction) && carried.values(for: field.name).contains(field.value)
    }
  }

  /// Whether a header is kept from other origins: `Authorization`, `Cookie` and all that redaction hides, by its name or
  /// by a known value in it.
  static func isCredential(_ field: HTTPHeaders.Field, _ redaction: Redaction) -> Bool {
    Redaction.standard.hides(field.name, in: .header) || redaction.hides(field.name, in: .header)
      || redaction.hidingValues(field.value) != field.value
  }

  /// Whether the answer lies at the target, to be fetched without a body.
  ///
  /// 303 says so for every method; after 301 and 302 it is what everybody does with a POST.
  private func asksToGet(_ method: HTTPMethod, _ status: HTTPStatus) -> Bool {
    status.code == 303 || (method == .post && [301, 302].contains(status.code))
  }

  private static func describesBody(_ name: String) -> Bool {
    let name = name.lowercased()
    return name.hasPrefix("content-") || ["digest", "repr-digest", "trailer", "expect"].contains(name)
  }
}

extension HTTPStatus {
  /// Whether the answer says that the request goes elsewhere.
  var isFollowedRedirect: Bool {
    switch code {
    case 301, 302, 303, 307, 308: true
    default: false
    }
  }
}
