import Foundation

@testable import Errand

/// Runs a script on one thread per connection.
final class RawServer: Sendable {
  typealias Script = @Sendable (RawConnection) -> Void

  /// Returns `nil` on failure, and the socket is closed.
  typealias Opening = @Sendable (Int32) -> (any ServerChannel)?

  let port: UInt16
  /// From ``RawConnection/note(_:)``, for tests that wait for a note.
  let notes: AsyncStream<String>

  private let scheme: String
  private let descriptor: Int32
  private let received = Locked<[RawRequest]>([])
  private let accepted = Locked(0)
  private let noting: AsyncStream<String>.Continuation

  /// Scripts can read ``RawConnection/number``, which counts from 1.
  ///
  /// - Parameter listener: A listening socket, which the server closes; a free port of 127.0.0.1 by default.
  init(
    scheme: String = "http", on listener: Int32 = LoopbackSocket.listening(),
    opening: @escaping Opening = { PlainChannel($0) }, _ script: @escaping Script
  ) {
    self.scheme = scheme
    (notes, noting) = AsyncStream.makeStream()
    descriptor = listener
    port = LoopbackSocket.port(of: descriptor)
    let (descriptor, received, accepted, noting) = (descriptor, received, accepted, noting)
    Thread.detachNewThread {
      while case let client = accept(descriptor, nil, nil), client >= 0 {
        let number = accepted.withLock { count in
          count += 1
          return count
        }
        Thread.detachNewThread {
          guard let channel = opening(client) else { return LoopbackSocket.close(client) }
          let connection = RawConnection(channel, number: number) { request in
            received.withLock { $0.append(request) }
          } note: {
            noting.yield($0)
          }
          script(connection)
          connection.close()
        }
      }
      LoopbackSocket.close(descriptor)
    }
  }

  deinit {
    LoopbackSocket.shutDown(descriptor)
    noting.finish()
  }

  static func answering(_ bytes: String) -> RawServer { answering(Data(bytes.utf8)) }

  /// Answers every request with the same bytes.
  static func answering(_ bytes: Data) -> RawServer {
    RawServer { connection in
      while connection.readRequest() != nil { connection.send(bytes) }
    }
  }

  /// Answers the first request of every connection, then closes.
  static func answeringOnce(_ bytes: String) -> RawServer {
    RawServer { connection in
      guard connection.readRequest() != nil else { return }
      connection.send(bytes)
    }
  }

  var requests: [RawRequest] { received.withLock { $0 } }

  var connectionCount: Int { accepted.withLock { $0 } }

  func url(_ path: String = "/") -> URL { URL(string: "\(scheme)://127.0.0.1:\(port)\(path)")! }

  func wait(for text: String) async {
    for await note in notes where note == text { return }
  }
}
