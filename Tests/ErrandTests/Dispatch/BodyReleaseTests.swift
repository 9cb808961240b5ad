import Foundation
import Testing

@testable import Errand

@Suite("Release of a body with its value")
struct BodyReleaseTests {
  /// Bodies report their deallocation.
  struct TellingTransport: Transport {
    let capabilities = TransportCapabilities()
    let didFree: @Sendable () -> Void

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      let bytes = UnsafeMutableRawPointer.allocate(byteCount: 1000, alignment: 1)
      bytes.initializeMemory(as: UInt8.self, repeating: 0x61, count: 1000)
      let body = Data(
        bytesNoCopy: bytes, count: 1000,
        deallocator: .custom { bytes, _ in
          bytes.deallocate()
          didFree()
        })
      return TransportResponse(head: HTTPResponse(status: 200), body: BodyStream(body))
    }
  }

  struct Count: Request {
    typealias Response = Int
    let path = "a"
    var responseSerializer: any ResponseSerializer<Int> { CountResponse() }
  }

  struct CountResponse: ResponseSerializer {
    func serialize(_ response: HTTPResponse, context: RequestContext) async throws -> Int {
      response.body.count
    }
  }

  @Test("Neither the report nor another part of a dispatch retains the body")
  func freed() async throws {
    let freed = Locked(0)
    let agent = RequestAgent(
      baseURL: "http://a.example", transport: TellingTransport { freed.withLock { $0 += 1 } })
    for _ in 0..<10 { #expect(try await agent.send(Count()) == 1000) }
    #expect(freed.withLock { $0 } == 10)
  }
}
