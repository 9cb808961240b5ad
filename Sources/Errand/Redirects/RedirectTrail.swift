import Foundation

/// The way an attempt has gone so far: each request before its `filterRequest` hooks.
///
/// What hooks did to an earlier hop is not carried to the next one: they do it again, so that nothing is signed,
/// compressed or appended twice.
struct RedirectTrail {
  private struct Step: Hashable {
    let method: HTTPMethod
    let url: String

    init(_ request: HTTPRequest) {
      method = request.method
      url = request.url.absoluteString
    }
  }

  /// The last request.
  private(set) var built: HTTPRequest
  private(set) var followed = 0
  /// The steps before the last.
  private var steps: Set<Step> = []

  init(_ first: HTTPRequest) { built = first }

  /// Whether the same method and URL was sent before.
  func contains(_ request: HTTPRequest) -> Bool {
    let step = Step(request)
    return step == Step(built) || steps.contains(step)
  }

  /// The way with one more request.
  func following(_ next: HTTPRequest) -> RedirectTrail {
    var trail = self
    trail.steps.insert(Step(built))
    trail.built = next
    trail.followed += 1
    return trail
  }
}
