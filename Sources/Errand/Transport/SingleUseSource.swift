import Foundation

/// A source that can be read once, opened any number of times: the first opening that is read has it.
///
/// One request value may be in several dispatches, at once or one after the other. Without this they would share its
/// chunks, or send nothing where there were some before.
final class SingleUseSource: Sendable {
  private struct State {
    var openings = 0
    var reader: Int?
  }

  private final class Opening: BodySource {
    private let whole: SingleUseSource
    private let number: Int

    init(_ whole: SingleUseSource, number: Int) {
      self.whole = whole
      self.number = number
    }

    func next() async throws -> Data? { try await whole.next(for: number) }

    func cancel() { whole.cancel(for: number) }
  }

  private let source: any BodySource
  private let state = Locked(State())

  init(_ source: any BodySource) { self.source = source }

  func open() -> BodyStream {
    let number = state.withLock { state in
      state.openings += 1
      return state.openings
    }
    return BodyStream(Opening(self, number: number))
  }

  private func next(for number: Int) async throws -> Data? {
    let reader = state.withLock { state in
      state.reader = state.reader ?? number
      return state.reader
    }
    guard reader == number else {
      throw TransportError(.encoding, "the body stream can be sent once, and was sent before")
    }
    return try await source.next()
  }

  private func cancel(for number: Int) {
    if state.withLock({ $0.reader == number }) { source.cancel() }
  }
}
