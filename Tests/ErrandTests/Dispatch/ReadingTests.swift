import Dispatch
import Foundation
import Testing

@testable import Errand

@Suite("Isolation of a request's requirements")
struct ReadingTests {
  struct Noting: Request {
    typealias Response = Int
    let seen: Recorder
    var path: String { note("path", "things") }
    var tag: Int { note("tag", 0) }
    var validators: [any ResponseValidator] { note("validators", []) }
    var retryPolicy: RetryPolicy { note("retryPolicy", .none) }
    var accessories: [any Accessory] { note("accessories", []) }
    /// A JSON body, so the encoder is read.
    ///
    /// The response is not a number, because the retry policy is read after a failure.
    var body: RequestBody { .json(1) }
    var jsonCoding: JSONCoding? { note("jsonCoding", nil) }
    var jsonDecoder: JSONDecoder? { note("jsonDecoder", nil) }
    var jsonEncoder: JSONEncoder? { note("jsonEncoder", nil) }

    private func note<Value>(_ name: String, _ value: Value) -> Value {
      seen.add("\(name) \(DispatchQueue.getSpecific(key: Self.key) == true ? "on main" : "off main")")
      return value
    }

    static let key: DispatchSpecificKey<Bool> = {
      let key = DispatchSpecificKey<Bool>()
      DispatchQueue.main.setSpecific(key: key, value: true)
      return key
    }()
  }

  @Test("Every requirement is read off the main actor, even if send and start are called on the main actor")
  @MainActor func offMain() async throws {
    let seen = Recorder()
    let agent = RequestAgent(baseURL: "http://example.com", transport: FunctionTransport { _, _ in .of("x") })
    await #expect(throws: RequestError.self) { try await agent.send(Noting(seen: seen)) }
    await #expect(throws: RequestError.self) { try await agent.start(Noting(seen: seen)).value }
    let names: Set = [
      "path", "tag", "validators", "retryPolicy", "accessories", "jsonCoding", "jsonDecoder", "jsonEncoder",
    ]
    #expect(Set(seen.events) == Set(names.map { "\($0) off main" }))
  }
}
