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
    guard limit > 0, response.status.isFollowedRedirect, let location = Self.location(of: response) else {
      return nil
    }
    return try? URLParts(absolute: sent.absoluteString)?.resolve(location)
  }

  /// The one `Location` of a response; `nil` without, and where several disagree.
  static func location(of response: HTTPResponse) -> String? {
    let locations = Set(response.headers.values(for: "Location"))
    return locations.count == 1 ? locations.first : nil
  }

  /// Judges where a redirect leads.
  ///
  /// - Returns: why it leads nowhere, as a sentence; `nil` for a redirect that leads somewhere, and for a response that is no redirect.
  static func fault(of response: HTTPResponse, to sent: URL) -> String? {
    let locations = response.headers.values(for: "Location")
    guard response.status.isFollowedRedirect, let location = locations.first else { return nil }
    guard Set(locations).count == 1 else { return "Its \(locations.count) Location fields disagree." }
    do throws(Refusal) {
      _ = try URLParts(absolute: sent.absoluteString)?.resolve(location)
      return nil
    } catch {
      return "Its Location \(URLParts.shown(location)) leads nowhere: \(error.message)."
    }
  }

  /// The request that follows, before hooks.
  ///
  /// - Parameters:
  ///   - built: the request as it was before its `filterRequest` hooks, whose work is done anew for each hop.
  ///   - sent: what the hooks made of it.
  func next(
    after status: HTTPResponse.Status, _ built: HTTPRequest, sent: HTTPRequest, to target: URL
  ) -> HTTPRequest {
    var next = built
    next.url = target
    if asksToGet(sent.method, after: status) {
      if sent.method != .head { next.method = .get }
      next.body = .none
      next.trailers = .none
      next.headers.fields.removeAll { Self.describesBody($0.name) }
    }
    if !Origin.same(sent.url, target) {
      leaveBehind(next.headers, in: &next.headers)
      leaveTrailersBehind(in: &next)
    }
    return next
  }

  /// Removes the trailers that another origin may not have, now or when they are computed.
  func leaveTrailersBehind(in next: inout HTTPRequest) {
    guard !next.trailers.isEmpty else { return }
    let (before, redaction) = (next.trailers, confidential())
    next.trailers = before.filtered { Self.mayTravel($0, redaction: redaction) }
    next.announceTrailers(inPlaceOf: before)
  }

  /// Removes what another origin may not have, as far as `carried` has it too; what somebody put there since stays.
  func leaveBehind(_ carried: HTTPHeaders, in headers: inout HTTPHeaders) {
    let redaction = confidential()
    headers.fields.removeAll { field in
      !Self.mayTravel(field, redaction: redaction) && carried.values(for: field.name).contains(field.value)
    }
  }

  /// The names of what was left behind when the origin was left, without what went with the body.
  static func leftBehind(of built: HTTPRequest, by next: HTTPRequest) -> [String] {
    let headers = built.headers.fields.map(\.name).filter { !next.headers.contains($0) && !describesBody($0) }
    // Those of a body that stayed behind went with it.
    guard !built.trailers.isEmpty, !next.body.isEmpty || built.body.isEmpty else { return headers }
    return headers + built.trailers.names.filter { !next.trailers.names.contains($0) }
  }

  /// Whether a header may go to an origin it was not meant for: one of those that say what is asked for, and nothing of who
  /// asks, unless redaction hides it, by its name or by a known value in it.
  ///
  /// Names cannot be listed the other way round: services call their keys and sessions what they like.
  static func mayTravel(_ field: HTTPHeaders.Field, redaction: Redaction) -> Bool {
    isTravelling(field.name.lowercased()) && !redaction.keepsFromOthers(field.name)
      && redaction.hidingValues(field.value) == field.value
  }

  private static func isTravelling(_ name: String) -> Bool {
    travelling.contains(name) || uploading.contains { name.hasPrefix($0) }
  }

  /// What describes an upload that is begun elsewhere: tus 1.0.0, the IETF's draft, Google's.
  private static let uploading = ["tus-", "upload-", "x-goog-upload-"]

  /// The wishes of RFC 9110 sections 12 and 13, and what describes a body that goes along.
  private static let travelling: Set = [
    "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "content-digest",
    "content-disposition", "content-encoding", "content-language", "content-range", "content-type", "date",
    "digest", "expect", "if-match", "if-modified-since", "if-none-match", "if-range", "if-unmodified-since",
    "pragma", "prefer", "priority", "range", "repr-digest", "te", "trailer", "user-agent",
  ]

  /// Refuses what may not follow, also where a hook chose it.
  ///
  /// - Parameters:
  ///   - visited: where the requests of the attempt went so far. A return is no fault: a server may wait until it is ready,
  ///     or for a cookie; the limit ends a circle.
  func check(_ next: HTTPRequest, after status: HTTPResponse.Status, from sent: URL, visited: [URL])
    throws(Refusal)
  {
    try checkScheme(of: next.url, from: sent)
    if visited.count > limit {
      let counted = limit == 1 ? "1 redirect was" : "\(limit) redirects were"
      throw refusal("\(counted) followed and another came\(returns(visited + [next.url]))")
    }
    if !next.body.isReplayable {
      throw refusal("status \(status.code) asks for the body again, which can be produced only once")
    }
  }

  /// Which of the URLs came more than once, as the end of a sentence; empty where none did.
  private func returns(_ visited: [URL]) -> String {
    var counts: [String: Int] = [:]
    let again = visited.filter { url in
      counts[url.absoluteString, default: 0] += 1
      return counts[url.absoluteString] == 2
    }
    guard !again.isEmpty else { return "" }
    let rest = again.count > 3 ? ", and \(again.count - 3) more" : ""
    return "; they go round over " + again.prefix(3).map(shown).joined(separator: ", ") + rest
  }

  /// From https only to https: who asked for a secret channel is not moved to an open one.
  func checkScheme(of target: URL, from sent: URL) throws(Refusal) {
    let (old, new) = (sent.scheme?.lowercased(), target.scheme?.lowercased())
    guard new == "http" || new == "https" else {
      throw refusal("the redirect to \(shown(target)) is refused: only http and https are followed")
    }
    if old == "https", new == "http" {
      throw refusal("the redirect from https to \(shown(target)) is refused: it would not be encrypted")
    }
  }

  private func shown(_ url: URL) -> String { URLParts.shown(url.absoluteString) }

  private func refusal(_ message: String) -> Refusal { Refusal(message, kind: .redirect) }

  /// Whether the answer lies at the target, to be fetched without a body.
  ///
  /// 303 says so for every method; after 301 and 302 it is what everybody does with a POST.
  private func asksToGet(_ method: HTTPMethod, after status: HTTPResponse.Status) -> Bool {
    status.code == 303 || (method == .post && [301, 302].contains(status.code))
  }

  static func describesBody(_ name: String) -> Bool {
    let name = name.lowercased()
    return name.hasPrefix("content-") || ["digest", "repr-digest", "trailer", "expect"].contains(name)
  }
}

extension HTTPResponse.Status {
  /// Whether the answer says that the request goes elsewhere.
  var isFollowedRedirect: Bool {
    switch code {
    case 301, 302, 303, 307, 308: true
    default: false
    }
  }
}
