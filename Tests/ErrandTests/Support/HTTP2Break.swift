/// Breaks before or during the response.
enum HTTP2Break: String, CaseIterable {
  case resetWithoutError, resetWithError, garbage, longFrame, brokenFields, unknownStream, push, badSettings
  case windowOverflow, dataOnZero, shortPing, plainAnswer, badPadding, strayContinuation, emptyWindowUpdate
  case endlessTrailers, statusInTrailers, goAwayWithError, goodbye, cut, reset

  func run(on connection: RawConnection, stream: UInt32) {
    switch self {
    case .goAwayWithError:
      connection.send(.goAway(last: 0, code: 2))
      connection.close()
    case .goodbye: connection.close()
    case .cut: connection.cut()
    case .reset: connection.reset()
    case .garbage: connection.send("\u{0}\u{0}\u{1}these bytes are no frame of HTTP/2, and more of them")
    case .plainAnswer: connection.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    default: frame(stream).map(connection.send)
    }
  }

  private func frame(_ stream: UInt32) -> HTTP2Frame? {
    switch self {
    case .resetWithoutError: .reset(stream, code: 0)
    case .resetWithError: .reset(stream, code: 2)
    case .longFrame:
      HTTP2Frame(kind: .data, stream: stream, payload: Array(repeating: 0x61, count: 20_000))
    // An index outside of the table.
    case .brokenFields:
      HTTP2Frame(kind: .headers, flags: 5, stream: stream, payload: [0xFF, 0xFF, 0xFF, 0xFF])
    case .unknownStream: HTTP2Frame(kind: .data, stream: stream + 100, payload: [0x61])
    case .push: HTTP2Frame(kind: .push, flags: 4, stream: stream, payload: [0, 0, 0, 2, 0x82])
    case .badSettings: HTTP2Frame(kind: .settings, payload: [0, 3, 0, 0, 0])
    case .windowOverflow: .windowUpdate(0, by: 0x7FFF_FFFF)
    case .dataOnZero: HTTP2Frame(kind: .data, stream: 0, payload: [0x61])
    case .shortPing: HTTP2Frame(kind: .ping, payload: [0, 0, 0, 0])
    case .badPadding: HTTP2Frame(kind: .data, flags: 8, stream: stream, payload: [200, 0x61])
    case .strayContinuation: HTTP2Frame(kind: .continuation, flags: 4, stream: stream, payload: [0x88])
    case .emptyWindowUpdate: .windowUpdate(stream, by: 0)
    case .endlessTrailers:
      HTTP2Frame(kind: .headers, flags: 4, stream: stream, payload: HTTP2Frame.field("x-sum", "1"))
    case .statusInTrailers: HTTP2Frame(kind: .headers, flags: 5, stream: stream, payload: [0x88])
    case .goAwayWithError, .goodbye, .cut, .reset, .garbage, .plainAnswer: nil
    }
  }
}
