import Foundation

extension RedirectRules {
  /// Refuses what may not follow, whoever chose it.
  func check(
    _ next: HTTPRequest, after status: HTTPStatus, from sent: URL, _ trail: RedirectTrail
  ) throws(Refusal) {
    try checkScheme(of: next.url, from: sent)
    if trail.contains(next) {
      throw refusal("the redirects run in a circle: \(next.method) \(shown(next.url)) was sent before")
    }
    if trail.followed >= limit {
      let counted = limit == 1 ? "1 redirect was" : "\(limit) redirects were"
      throw refusal("\(counted) followed and another came")
    }
    if !next.body.isReplayable {
      throw refusal("status \(status.code) asks for the body again, which can be produced only once")
    }
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
}
