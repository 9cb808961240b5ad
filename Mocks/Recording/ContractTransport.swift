public import Errand
import Foundation

final class ContractTransport: Transport {
  private struct State {
    var used: Set<Int> = []
    /// The indices of the entries that match the dispatch's first request; `nil` before the request.
    var own: [Int]?
    /// For each list of matches, the position from which to search for an unused entry.
    ///
    /// The key is the first index and the length of the list.
    var fronts: [[Int]: Int] = [:]
    var latest: Int?

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

  var used: Set<Int> { state.withLock { $0.used } }

  var latest: RecordedExchange? { state.withLock { $0.latest }.map(entries.exchange) }

  /// True if the dispatch replayed an entry, and an entry for the dispatch's first request is still unused.
  var hasMore: Bool {
    state.withLock { state in
      guard state.latest != nil, let own = state.own else { return false }
      return state.firstUnused(of: own) != nil
    }
  }

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
      // A later request with other matches, such as after a redirect, may use an entry again.
      let again = matches == state.own ? nil : matches.last
      let index = state.firstUnused(of: matches) ?? again
      if let index { (_, state.latest) = (state.used.insert(index), index) }
      return index
    }
    guard let index else { throw entries.unmatched(request.request, used: matches) }
    return try entries.entries[index].replayed(to: request.request, from: entries.exchange(at: index))
  }
}

/// A problem found by ``RecordingTransport/check(_:agent:)``.
public struct ContractProblem: Sendable, CustomStringConvertible {
  /// The last entry replayed in the dispatch, if any.
  ///
  /// Without a dispatch, the unused entry.
  public let entry: RecordedExchange?
  /// The error of the dispatch; `nil` if no endpoint uses the entry.
  public let error: RequestError?

  /// The entry and the error.
  public var description: String {
    let text = error.map { "\n\($0)" } ?? " no endpoint requests the entry"
    return entry.map { "\($0):\(text)" } ?? error?.description ?? ""
  }
}
