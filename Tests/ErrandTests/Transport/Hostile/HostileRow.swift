import ErrandMocks
import Foundation
import Testing

@testable import Errand

/// A row of the table in `WhatAHostileServerCanDo.md`.
struct HostileRow: Sendable, CustomTestStringConvertible {
  let doing: String
  let answer: MockAnswer
  /// `{peer}` stands for host and port.
  let result: String
  var timeout = Duration.seconds(20)

  init(_ doing: String, _ answer: MockAnswer, _ result: String, timeout: Duration = .seconds(20)) {
    (self.doing, self.answer, self.result, self.timeout) = (doing, answer, result, timeout)
  }

  var testDescription: String { doing }

  var documentation: String {
    let word = String(result.prefix { $0 != ":" })
    let rest = result.dropFirst(word.count + 2).replacing("{peer}", with: "127.0.0.1:80")
    return "| \(doing) | \(word == "success" ? word : "`\(word)`") | `\(rest)` |"
  }

  static let all = connection + heads + lengths + chunks + framing + codings + systemCodings

  /// The rows whose decoders the system has.
  static let testable = all.filter { row in
    let codings = DefaultTransport.make().capabilities.contentCodings
    return ["br", "zstd"].allSatisfy { !row.doing.contains(" \($0) ") || codings.contains($0) }
  }
}

extension HostileRow {
  private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
  private static let broken = "the connection to {peer} broke while the response was received (code 56)"
  private static let silent = "{peer} closed the connection without an answer (code 52)"
  private static let insideHead = "the connection was closed inside the head of the response"

  private static let connection = [
    HostileRow("closes before the head", .raw(.close), "connectionLost: \(silent)"),
    HostileRow("resets before the head", .raw(.reset), "connectionLost: \(broken)"),
    HostileRow(
      "closes inside the status line", .text("hello").cut(after: 11), "connectionLost: \(silent)"),
    HostileRow(
      "closes inside a header field", .text("hello").cut(after: 30), "connectionLost: \(insideHead)"),
    HostileRow(
      "closes after the header fields, before the empty line",
      .raw(.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n"), .close), "connectionLost: \(insideHead)"),
    HostileRow(
      "resets inside the head", .text("hello").cut(after: 30, by: .reset), "connectionLost: \(broken)"),
    HostileRow(
      "closes after the head, before the body", .text("hello").cut(.body, after: 0),
      "connectionLost: the connection was closed after 0 of the 5 bytes of the body (code 18) [200: ]"),
    HostileRow(
      "closes inside the body", .text("hello").cut(.body, after: 3),
      "connectionLost: the connection was closed after 3 of the 5 bytes of the body (code 18) [200: hel]"),
    HostileRow(
      "resets inside the body", .text("hello").cut(.body, after: 3, by: .reset),
      "connectionLost: \(broken) [200: hel]"),
    HostileRow("closes after the body", .text("hello").then(.close), "success: 200 hello"),
    HostileRow("resets after the body", .text("hello").then(.reset), "success: 200 hello"),
    HostileRow(
      "stalls before the head", .raw(.stall),
      "timedOut: no byte was sent or received for 0.2 s", timeout: .milliseconds(200)),
    HostileRow(
      "stalls inside the head", .text("hello").cut(after: 30, by: .stall),
      "timedOut: no byte was sent or received for 0.2 s", timeout: .milliseconds(200)),
    HostileRow(
      "stalls inside the body", .text("hello").cut(.body, after: 3, by: .stall),
      "timedOut: no byte was sent or received for 0.2 s [200: hel]", timeout: .milliseconds(200)),
    HostileRow(
      "sends byte by byte", .text("hello").dripping(every: .milliseconds(1)), "success: 200 hello"),
  ]

  private static let heads = [
    HostileRow(
      "sends bytes that are no HTTP", .raw(.send("220 welcome to the mail server\r\n"), .close),
      "invalidResponse: {peer} did not answer in HTTP (code 1)"),
    HostileRow(
      "sends a status that is no number", .text("hello").statusLine("HTTP/1.1 abc OK"),
      "invalidResponse: {peer} did not answer in HTTP (code 1)"),
    HostileRow(
      "claims HTTP/2 in a status line of HTTP/1.1", .text("hello").statusLine("HTTP/2 200"),
      "invalidResponse: the response claims to be HTTP/2, but the connection did not negotiate HTTP/2"),
    HostileRow(
      "switches to another protocol unasked", .text("hello").statusLine("HTTP/1.1 101 Switching Protocols"),
      "invalidResponse: the server switches to another protocol (101), although the request did not ask for a switch"
    ),
    HostileRow(
      "sends a carriage return inside a header line", .text("hello").headerLine("X-Odd: a\rX-More: b"),
      "invalidResponse: a line of the head of the response contains a carriage return"),
    HostileRow(
      "leaves the reason phrase out", .text("hello").statusLine("HTTP/1.1 200"), "success: 200 hello"),
    HostileRow(
      "leaves the space before a value out", .text("hello").headerLine("X-Odd:value"),
      "success: 200 hello; X-Odd: value"),
    HostileRow(
      "ends its lines with a line feed alone",
      .raw(.send("HTTP/1.1 200 OK\nContent-Length: 5\nX-Odd: value\n\nhello")),
      "success: 200 hello; X-Odd: value"),
    HostileRow(
      "sends a line that is not a header field", .text("hello").headerLine("odd"),
      "invalidResponse: {peer} did not answer in HTTP (code 8)"),
    HostileRow(
      "sends a value in Latin-1", .text("hello").headerLine(Data("X-Odd: caf".utf8) + [0xE9]),
      "success: 200 hello; X-Odd: café"),
    HostileRow(
      "sends a field name with a blank in it", .text("hello").headerLine("X-Odd: value").headerLine("X Y: a"),
      "success: 200 hello; X-Odd: value"),
    HostileRow(
      "sends a field without a name", .text("hello").headerLine("X-Odd: value").headerLine(": a"),
      "success: 200 hello; X-Odd: value"),
    HostileRow(
      "folds a field whose name is no token",
      .text("hello").headerLine("X-Odd: value").headerLine("X\u{B}Y: a").headerLine(" b"),
      "success: 200 hello; X-Odd: value"),
    HostileRow(
      "sends a field name with a blank before the colon", .text("hello").headerLine("X-Odd : value"),
      "success: 200 hello; X-Odd: value"),
    HostileRow(
      "sends informational responses first",
      .text("hello").informational(100).informational(103, headers: ["Link": "</a>"]), "success: 200 hello"),
    HostileRow(
      "sends informational responses without end",
      .raw(.send("HTTP/1.1 102 Processing\r\n\r\n", times: .max)),
      "limitExceeded: the server sent more informational responses than limits.informationalCount, 20"
    ),
    HostileRow(
      "sends a head without end",
      .raw(
        .send("HTTP/1.1 200 OK\r\n"),
        .send("X-Filler: \(String(repeating: "x", count: 1000))\r\n", times: .max)),
      "limitExceeded: the head of the response is longer than limits.headSize, 262144 bytes"),
    HostileRow(
      "sends one header field without end",
      .raw(.send("HTTP/1.1 200 OK\r\nX-Filler: "), .send("xxxxxxxxxx", times: .max)),
      "invalidResponse: a line of the head of the response is longer than libcurl takes (code 27)"),
    HostileRow(
      "sends a status line without end", .raw(.send("HTTP/1.1 200 "), .send("OK", times: .max)),
      "invalidResponse: a line of the head of the response is longer than libcurl takes (code 27)"),
  ]

  private static let lengths = [
    HostileRow(
      "sends fewer bytes than promised", .text("hello").header("Content-Length", "9").then(.close),
      "connectionLost: the connection was closed after 5 of the 9 bytes of the body (code 18) [200: hello]"),
    HostileRow(
      "sends more bytes than promised", .text("hello").header("Content-Length", "3"), "success: 200 hel"),
    HostileRow(
      "sends fewer bytes than its Content-Range says",
      .text("hello", status: 206).header("Content-Range", "bytes 0-499/500"),
      "invalidResponse: the body ended after 5 of the 500 bytes of its Content-Range, bytes 0-499/500 [206: hello]"
    ),
    HostileRow(
      "sends more bytes than its Content-Range says",
      .text("hello", status: 206).header("Content-Range", "bytes 0-3/4"),
      "invalidResponse: the body has more than the 4 bytes of its Content-Range, bytes 0-3/4 [206: ]"),
    HostileRow(
      "sends a second response nobody asked for",
      // Bytes that arrive after the next request would be the next response.
      .text("helloHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil").header("Content-Length", "5"),
      "success: 200 hello"),
    HostileRow(
      "repeats Content-Length", .text("hello").header("Content-Length", "5").header("Content-Length", "5"),
      "success: 200 hello"),
    HostileRow(
      "contradicts its Content-Length",
      .text("hello").header("Content-Length", "2").header("Content-Length", "5"),
      "invalidResponse: the response has conflicting Content-Length values: 2, 5"),
    HostileRow(
      "sends a Content-Length that is no number", .text("hello").header("Content-Length", "five"),
      "invalidResponse: the response's Content-Length is not a number (code 8)"),
    HostileRow(
      "sends a negative Content-Length", .text("hello").header("Content-Length", "-5"),
      "invalidResponse: the response's Content-Length is not a number (code 8)"),
    HostileRow(
      "sends a Content-Length beyond all numbers",
      .text("hello").header("Content-Length", "99999999999999999999"),
      "invalidResponse: the response's Content-Length is too large"),
    HostileRow("ends the body with the connection", .text("hello").unframed(), "success: 200 hello"),
    HostileRow(
      "resets instead of ending the body", .text("hello").unframed().cut(after: .max, by: .reset),
      "connectionLost: \(broken) [200: hello]"),
    HostileRow("sends a body with 204", .raw(.send("HTTP/1.1 204 No Content\r\n\r\nhello")), "success: 204 "),
  ]

  private static let chunks = [
    HostileRow(
      "sends trailers", .text("hello").trailers(["X-Sum": "5d41"]), "success: 200 hello; trailer X-Sum: 5d41"),
    HostileRow(
      "closes inside a chunk", .chunks([Data("hello".utf8)]).cut(.body, after: 6),
      "connectionLost: the connection was closed inside the body, after 3 bytes (code 18) [200: hel]"),
    HostileRow(
      "closes after a chunk, before the last one", .chunks([Data("hello".utf8)]).cut(.body, after: 10),
      "connectionLost: the connection was closed inside the body, after 5 bytes (code 18) [200: hello]"),
    HostileRow(
      "closes inside the trailers", .text("hello").trailers(["X-Sum": "5d41"]).cut(.body, after: 18),
      "connectionLost: the connection was closed inside the body, after 5 bytes (code 18) [200: hello]"),
    HostileRow(
      "sends a trailer field of 4,096 bytes", longTrailer,
      "invalidResponse: a field of the response's trailers is longer than libcurl takes (code 56) [200: hello]"
    ),
    HostileRow(
      "sends a chunk size that is no number", chunked("5\r\nhello\r\nzz\r\n"),
      "invalidResponse: the chunks of the body are malformed (code 56) [200: hello]"),
    HostileRow(
      "sends a chunk longer than its size", chunked("3\r\nhello\r\n0\r\n\r\n"),
      "invalidResponse: the chunks of the body are malformed (code 56) [200: hel]"),
    HostileRow(
      "sends a chunk size beyond all numbers", chunked("fffffffffffffffff\r\nhello"),
      "invalidResponse: the chunks of the body are malformed (code 56) [200: ]"),
    HostileRow(
      "sends Content-Length and chunks", chunked("5\r\nhello\r\n0\r\n\r\n", "Content-Length: 3\r\n"),
      "invalidResponse: the response has both Transfer-Encoding and Content-Length"),
  ]

  private static let framing = [
    HostileRow(
      "folds Transfer-Encoding", framed("Transfer-Encoding:\r\n chunked"),
      "invalidResponse: the response's Transfer-Encoding continues on a second line"),
    HostileRow(
      "sends Transfer-Encoding with a blank before the colon", framed("Transfer-Encoding : chunked"),
      "invalidResponse: the response's Transfer-Encoding has a space before its colon"),
    HostileRow(
      "folds Content-Length", framed("Content-Length: 1\r\n 5"),
      "invalidResponse: the response's Content-Length continues on a second line"),
    HostileRow(
      "sends Content-Length with a blank before the colon", framed("Content-Length : 5"),
      "invalidResponse: the response's Content-Length has a space before its colon"),
    HostileRow(
      "sends Transfer-Encoding with a control character before the colon",
      framed("Transfer-Encoding\u{B}: chunked"),
      "invalidResponse: the response's Transfer-Encoding has a space before its colon"),
    HostileRow(
      "lists a transfer coding before chunked", framed("Transfer-Encoding: gzip, chunked"),
      "invalidResponse: the response's Transfer-Encoding is gzip, chunked, but only chunked is supported"),
    HostileRow(
      "names the transfer coding identity", framed("Transfer-Encoding: identity"),
      "invalidResponse: the response's Transfer-Encoding is identity, but only chunked is supported"),
    HostileRow(
      "names a transfer coding nobody knows", framed("Transfer-Encoding: rot13"),
      "invalidResponse: the response's Transfer-Encoding is rot13, but only chunked is supported"),
    HostileRow(
      "sends two Transfer-Encoding fields",
      framed("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"),
      "invalidResponse: the response has 2 Transfer-Encoding fields"),
    HostileRow(
      "sends identity and a Content-Length that is not kept",
      framed("Transfer-Encoding: identity\r\nContent-Length: 90"),
      "invalidResponse: the response has both Transfer-Encoding and Content-Length"),
    HostileRow(
      "sends chunks in HTTP/1.0", framed("Transfer-Encoding: chunked", version: "1.0"),
      "invalidResponse: the response has a Transfer-Encoding, which HTTP/1.0 does not define"),
  ]

  private static func framed(_ fields: String, version: String = "1.1") -> MockAnswer {
    .raw(.send("HTTP/\(version) 200 OK\r\n\(fields)\r\n\r\n5\r\nhello\r\n0\r\n\r\n"), .close)
  }

  private static func chunked(_ body: String, _ fields: String = "") -> MockAnswer {
    .raw(.send("HTTP/1.1 200 OK\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n\(body)"), .close)
  }

  /// 4,096 bytes including the line end.
  private static let longTrailer = chunked(
    "5\r\nhello\r\n0\r\nX-Long: \(String(repeating: "a", count: 4_086))\r\n\r\n")

  private static let codings = [
    HostileRow(
      "cuts the gzip coding short", .text("hello").gzipped().editingBody { $0.removeLast(3) },
      "corruptBody: the gzip body ended early [200: hello]"),
    HostileRow(
      "damages the gzip coding", .text("hello").gzipped().editingBody { $0[10] ^= 0xFF },
      "corruptBody: the gzip body is corrupt [200: ]"),
    HostileRow(
      "sends a wrong checksum", .text("hello").gzipped().editingBody { $0[$0.count - 6] ^= 1 },
      "corruptBody: the gzip body is corrupt [200: hello]"),
    HostileRow(
      "sends something else as gzip", .text("hello").header("Content-Encoding", "gzip"),
      "corruptBody: the gzip body is corrupt [200: ]"),
    HostileRow(
      "sends junk after the gzip coding", .text("hello").gzipped().editingBody { $0 += Data("junk".utf8) },
      "corruptBody: the gzip body is corrupt [200: hello]"),
    HostileRow(
      "closes inside a body in gzip", .text("hello").gzipped().cut(.body, after: 18),
      "connectionLost: the connection was closed after 18 of the 28 bytes of the body (code 18) [200: hel]"),
    HostileRow(
      "names five codings", .text("hello").header("Content-Encoding", "gzip,gzip,gzip,gzip,gzip"),
      "invalidResponse: the response has more than 4 content codings"),
    HostileRow(
      "names identity beside gzip", .text("hello").gzipped().header("Content-Encoding", "identity"),
      "success: 200 hello"),
    HostileRow(
      "names a coding nobody knows", .text("hello").header("Content-Encoding", "rot13"), "success: 200 hello"),
  ]

  private static let br = Data([0x0B, 0x02, 0x80] + Array("hello".utf8) + [0x03])
  private static let zstd =
    Data([0x28, 0xB5, 0x2F, 0xFD, 0x04, 0x68, 0x29, 0, 0] + Array("hello".utf8) + [0xA3, 0x6D, 0x9F, 0x88])

  private static let systemCodings = [
    HostileRow(
      "cuts the br coding short", .data(br.dropLast()).header("Content-Encoding", "br"),
      "corruptBody: the br body ended early [200: hello]"),
    HostileRow(
      "sends junk after the br coding", .data(br + Data("junk".utf8)).header("Content-Encoding", "br"),
      "corruptBody: the br body is corrupt [200: hello]"),
    HostileRow(
      "cuts the zstd coding short", .data(zstd.dropLast(3)).header("Content-Encoding", "zstd"),
      "corruptBody: the zstd body ended early [200: hello]"),
    HostileRow(
      "sends junk after the zstd coding", .data(zstd + Data("junk".utf8)).header("Content-Encoding", "zstd"),
      "corruptBody: the zstd body is corrupt [200: hello]"),
    HostileRow(
      "sends something else with the zstd coding named", .text("hello").header("Content-Encoding", "zstd"),
      "corruptBody: the zstd body is corrupt [200: ]"),
  ]
}
