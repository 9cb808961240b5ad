#if os(Linux)
import Foundation

@testable import Errand

/// For `/<number>/<moment>/<length>/<surplus>`, the server sends `length` bytes that begin with the number.
///
/// Then `surplus` bytes of another response follow.
final class SurplusServer: Sendable {
  enum Moment: String, CaseIterable {
    /// Together with the last bytes of the first response.
    case together
    /// As ``together``, and over TLS in the same record.
    case inside
    /// Immediately after the first response.
    case early
    /// After the caller has received the first response and opened the gate.
    case late
  }

  let server: RawServer
  private let gates: Gates

  init(isSecure: Bool) throws {
    let gates = Gates()
    self.gates = gates
    let script: RawServer.Script = { connection in
      while let request = connection.readRequest() { Self.answer(request, over: connection, gates) }
    }
    server = try isSecure ? .secure(script) : RawServer(script)
  }

  /// Waits until the server has sent the surplus, and returns the first bytes of the response.
  ///
  /// An early surplus may arrive after the next request, so callers send in rounds.
  func ask(_ transport: CurlTransport, _ number: Int, _ moment: Moment, length: Int, surplus: Int)
    async throws -> String
  {
    let whole = try await transport.whole(server.url("/\(number)/\(moment.rawValue)/\(length)/\(surplus)"))
    if surplus > 0, moment == .late { gates.open(number) }
    if surplus > 0 { await gates.waitUntilSent(number) }
    return whole.text.prefix { $0 != "." } + "/\(whole.body.count)"
  }

  private static func answer(_ request: RawRequest, over connection: RawConnection, _ gates: Gates) {
    let words = request.line.split(separator: " ")[1].split(separator: "/")
    guard words.count == 4, let number = Int(words[0]), let moment = Moment(rawValue: String(words[1])),
      let length = Int(words[2]), let count = Int(words[3])
    else { return connection.close() }
    let (head, body) = message("\(number)", length)
    let surplus = evil(count)
    switch moment {
    case .together:
      connection.together {
        connection.send(head + body)
        connection.send(surplus)
      }
    case .inside:
      connection.send(head + body.prefix(length / 2))
      connection.send(body.dropFirst(length / 2) + surplus)
    case .early:
      connection.send(head + body)
      connection.send(surplus)
    case .late:
      connection.send(head + body)
      if count > 0 { gates.pass(number) }
      connection.send(surplus)
    }
    if count > 0 { gates.sent(number) }
  }

  private static func message(_ text: String, _ length: Int) -> (head: Data, body: Data) {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n"
    return (Data(head.utf8), Data((text + String(repeating: ".", count: length)).utf8.prefix(length)))
  }

  private static func evil(_ count: Int) -> Data {
    let (head, body) = message("evil", 40)
    var bytes = Data()
    while bytes.count < count { bytes += head + body }
    return bytes.prefix(count)
  }
}

/// By the number of the request; the server and the callers wait for each other.
private final class Gates: Sendable {
  private struct State {
    var opened: [Int: DispatchSemaphore] = [:]
    var sent: Set<Int> = []
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  }

  private let state = Locked(State())

  private func semaphore(_ number: Int) -> DispatchSemaphore {
    state.withLock { state in
      let semaphore = state.opened[number] ?? DispatchSemaphore(value: 0)
      state.opened[number] = semaphore
      return semaphore
    }
  }

  func open(_ number: Int) { semaphore(number).signal() }

  func pass(_ number: Int) {
    semaphore(number).wait()
    state.withLock { $0.opened[number] = nil }
  }

  func sent(_ number: Int) {
    let waiter = state.withLock { state in
      let waiter = state.waiting.removeValue(forKey: number)
      if waiter == nil { state.sent.insert(number) }
      return waiter
    }
    waiter?.resume()
  }

  func waitUntilSent(_ number: Int) async {
    await withCheckedContinuation { continuation in
      let isSent = state.withLock { state in
        if state.sent.remove(number) != nil { return true }
        state.waiting[number] = continuation
        return false
      }
      if isSent { continuation.resume() }
    }
  }
}
#endif
