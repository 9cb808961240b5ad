import ErrandMocks
import Foundation

@testable import Errand

/// Records whether the reader gave up.
final class CountedBody: BodySource {
  private struct State {
    var chunks: ArraySlice<Data>
    var pulled = 0
    var isCancelled = false
  }

  private let state: Locked<State>

  init(_ chunks: [String]) { state = Locked(State(chunks: chunks.map { Data($0.utf8) }[...])) }

  var pulled: Int { state.withLock(\.pulled) }
  var isCancelled: Bool { state.withLock(\.isCancelled) }

  func next() async throws -> Data? {
    state.withLock { state in
      guard let chunk = state.chunks.popFirst() else { return nil }
      state.pulled += 1
      return chunk
    }
  }

  func cancel() { state.withLock { $0.isCancelled = true } }
}

struct BodyTransport: Transport {
  let body: any BodySource
  var headers: HTTPHeaders = [:]
  var capabilities: TransportCapabilities { TransportCapabilities() }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    TransportResponse(head: HTTPResponse(headers: headers), body: BodyStream(body))
  }
}

extension RequestAgent {
  static func answering(
    _ chunks: [Data], type: String? = nil, _ configuration: AgentConfiguration = AgentConfiguration()
  ) -> RequestAgent {
    let transport = MockTransport { _ in .chunks(chunks, contentType: type) }
    return RequestAgent(baseURL: "http://example.com", transport: transport, configuration: configuration)
  }

  static func answering(
    _ text: String, type: String? = nil, _ configuration: AgentConfiguration = AgentConfiguration()
  ) -> RequestAgent { answering([Data(text.utf8)], type: type, configuration) }
}

extension Streamed {
  func drained() async -> (elements: [Element], error: (any Error)?) {
    var elements: [Element] = []
    do {
      for try await element in self { elements.append(element) }
    } catch {
      return (elements, error)
    }
    return (elements, nil)
  }
}

extension Collection where Element == UInt8 {
  func cut(upTo size: Int, by generator: inout SeededGenerator) -> [Data] {
    var (chunks, rest) = ([Data](), Array(self)[...])
    while !rest.isEmpty {
      let count = Swift.min(1 + generator.below(size), rest.count)
      chunks.append(Data(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return chunks
  }
}
