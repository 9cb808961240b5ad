public import Errand
import Foundation

/// Gives each entry once, to one endpoint that is dispatched until there are no more.
final class ContractTransport: Transport {
  private struct State {
    var used: Set<Int> = []
    /// The entries for the first request of the dispatch; those for redirects are taken as they come.
    var own: [Int]?
    /// How far the lists of entries are used up, by the first entry and the length of each.
    var fronts: [[Int]: Int] = [:]
    /// The entry that answered last in the dispatch.
    var latest: Int?

    /// Goes on where it stopped before, as what is used stays so.
    mutating func firstUnused(of indices: [Int]) -> Int? {
      guard let first = indices.first else { return nil }
      var place = fronts[[first, indices.count]] ?? 0
      while place < indices.count, used.contains(indices[place]) { place += 1 }
      fronts[[first, indices.count]] = place
      return place < indices.count ? indices[place] : nil
    }
  }

  let capabilities: TransportCapabilities
  private let entries: RecordedEntries
  private let state = Locked(State())

  init(_ entries: RecordedEntries, capabilities: TransportCapabilities) {
    self.entries = entries
    self.capabilities = capabilities
  }

  /// The entries that were given.
  var used: Set<Int> { state.withLock { $0.used } }

  /// The entry that answered last in the dispatch; `nil` when none did.
  var latest: RecordedExchange? { state.withLock { $0.latest }.map(entries.exchange) }

  /// Whether another dispatch would get an entry that was not given yet; not when the last one got none.
  var hasMore: Bool {
    state.withLock { state in
      guard state.latest != nil, let own = state.own else { return false }
      return state.firstUnused(of: own) != nil
    }
  }

  /// A dispatch begins.
  func begin() {
    state.withLock { state in
      state.own = nil
      state.latest = nil
    }
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    var request = request
    let body = try await RecordingUpload.body(of: &request)
    let withBody = entries.matches(request.request, body: body)
    let matches = withBody.isEmpty ? entries.found(request.request) : withBody
    let index = state.withLock { state in
      state.own = state.own ?? matches
      // What redirects lead to may be one entry for several; the endpoint's own are given once each.
      let again = matches == state.own ? nil : matches.last
      let index = state.firstUnused(of: matches) ?? again
      if let index { (_, state.latest) = (state.used.insert(index), index) }
      return index
    }
    guard let index else { throw entries.unmatched(request.request, used: matches) }
    return try entries.entries[index].replayed(to: request.request, from: entries.exchange(at: index))
  }
}

/// One finding of ``RecordingTransport/check(_:agent:)``: an answer that does not fit, an endpoint without an
/// answer, or an answer without an endpoint.
public struct ContractProblem: Sendable, CustomStringConvertible {
  /// The entry; `nil` when an endpoint has none.
  public let entry: RecordedExchange?
  /// What the dispatch failed with; `nil` when no endpoint asks for the entry.
  ///
  /// Its kind tells what does not fit: ``/Errand/RequestError/Kind/status`` also of an answer that was recorded as a
  /// failure on purpose.
  public let error: RequestError?

  /// The file, the entry, the request line and the error, which has the JSON path.
  ///
  /// ```
  /// users.har, entry 3, GET https://api.example.com/users/7, 200 OK:
  /// GET https://api.example.com/users/7 failed: address.zip: expected String, found a number.
  /// …
  /// ```
  public var description: String {
    let text = error.map { "\n\($0)" } ?? " no endpoint asks for it"
    return entry.map { "\($0):\(text)" } ?? error?.description ?? ""
  }
}
