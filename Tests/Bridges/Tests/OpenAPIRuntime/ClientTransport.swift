public import Foundation
public import HTTPTypes

// A stand-in with the shape of the runtime of generated clients, so that the recipe compiles without that package.

/// The transport of a generated client.
public protocol ClientTransport: Sendable {
  /// Sends a request.
  func send(
    _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String
  ) async throws -> (HTTPResponse, HTTPBody?)
}

/// How often a body can be read.
public enum IterationBehavior: Sendable {
  /// Once.
  case single
  /// Several times.
  case multiple
}

/// A body as a sequence of chunks.
public final class HTTPBody: AsyncSequence, Sendable {
  /// A part of a body.
  public typealias ByteChunk = ArraySlice<UInt8>
  /// A part of a body.
  public typealias Element = ByteChunk

  /// The number of bytes, if known.
  public enum Length: Sendable, Equatable {
    /// The number is not known.
    case unknown
    /// The number of bytes.
    case known(Int64)
  }

  /// Reads a body.
  public struct Iterator: AsyncIteratorProtocol {
    let produce: () async throws -> ByteChunk?

    /// Returns the next chunk.
    public mutating func next() async throws -> ByteChunk? { try await produce() }
  }

  /// The number of bytes, if known.
  public let length: Length
  /// How often the body can be read.
  public let iterationBehavior: IterationBehavior
  private let make: @Sendable () -> Iterator

  /// Creates a body of chunks.
  public init<Bytes: AsyncSequence & Sendable>(
    _ sequence: Bytes, length: Length, iterationBehavior: IterationBehavior
  ) where Bytes.Element == ByteChunk {
    (self.length, self.iterationBehavior) = (length, iterationBehavior)
    make = {
      var iterator = sequence.makeAsyncIterator()
      return Iterator { try await iterator.next() }
    }
  }

  /// Creates a body of text.
  public convenience init(_ text: String) {
    let chunk = ArraySlice(Array(text.utf8))
    let chunks = AsyncStream { continuation in
      continuation.yield(chunk)
      continuation.finish()
    }
    self.init(chunks, length: .known(Int64(chunk.count)), iterationBehavior: .single)
  }

  /// Starts to read the body.
  public func makeAsyncIterator() -> Iterator { make() }
}
