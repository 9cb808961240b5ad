import Errand
import Foundation

struct CookieWitness: Authenticator {
  let recorder: Recorder

  func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
    recorder.add("cookies \(request.headers["Cookie"] ?? "none")")
    recorder.add("authenticate \(context.dispatch.attempt)")
  }

  func renew(after failure: RequestError, context: Authentication.Context) async throws -> Bool { false }

  /// With the cookie `a=1` for `example.com`.
  static func store() -> CookieStore {
    let store = CookieStore()
    if let cookie = Cookie(name: "a", value: "1", domain: "example.com", isSecure: false) {
      store.set(cookie)
    }
    return store
  }
}
