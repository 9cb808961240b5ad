#if os(Linux)
import ErrandURLSession
import Foundation
import Testing

@testable import Errand

/// Compares the accessories' events, the errors, and the requests at the server.
@Suite("Equal behaviour of the transports")
struct TransportScenarioTests {
  @Test(
    "Both transports agree in every scenario except the listed differences", arguments: TransportScenario.all)
  func same(_ scenario: TransportScenario) async throws {
    let curl = try await scenario.account(of: CurlTransport())
    let session = try await scenario.account(of: URLSessionTransport())
    guard let difference = Self.differences[scenario.description] else {
      #expect(curl == session)
      return
    }
    #expect(curl.filter { !session.contains($0) } == difference.curl)
    #expect(session.filter { !curl.contains($0) } == difference.session)
  }

  @Test("There are at least 40 scenarios, each with a unique name")
  func names() {
    let names = TransportScenario.all.map(\.description)
    #expect(names.count >= 40 && Set(names).count == names.count)
    #expect(Set(Self.differences.keys).isSubset(of: names))
  }

  /// The guide *Transports* describes the differences.
  private static let differences: [String: (curl: [String], session: [String])] = [
    "A GET with a body": (
      ["attempt 1 got 200 of 1 bytes", "value x of 1 bytes", "the server got [\"GET /a 1\"]"],
      [
        "attempt 1 got 0 of 0 bytes",
        "unsupported at transport: URLSession sends no body with GET: use another method or transport",
        "the server got []",
      ]
    ),
    "A limit on decoding": (
      ["attempt 1 got 200 of 1 bytes", "value x of 1 bytes", "the server got [\"GET /a 0\"]"],
      [
        "attempt 1 got 0 of 0 bytes",
        "unsupported at transport: URLSession does not support limits.decodedSize: use the default value, or another transport",
        "the server got []",
      ]
    ),
  ]
}
#endif
