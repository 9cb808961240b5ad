import Foundation
import Testing

@testable import Errand
@testable import ErrandURLSession

@Suite("URLSession: meanings of errors and responses")
struct SessionErrorTests {
  @Test(
    "Each code has a kind and a text",
    arguments: [
      (
        URLError.Code.cannotFindHost,
        "nameNotResolved the host name of a:1 could not be resolved (code -1003)"
      ),
      (.cannotConnectToHost, "connectionFailed the connection to a:1 was refused (code -1004)"),
      (.notConnectedToInternet, "connectionFailed there is no network route to a:1 (code -1009)"),
      (.dataNotAllowed, "connectionFailed the system allows no connection to a:1 now (code -1020)"),
      (.networkConnectionLost, "connectionLost the connection to a:1 broke (code -1005)"),
      (.badServerResponse, "connectionLost a:1 closed the connection without an answer (code -1011)"),
      (.timedOut, "timedOut the system gave up waiting for a:1 (code -1001)"),
      (.cannotParseResponse, "invalidResponse a:1 did not answer in HTTP (code -1017)"),
      (.cannotDecodeRawData, "corruptBody the content coding of the body is broken (code -1015)"),
      (.badURL, "invalidURL the URL cannot be sent (code -1000)"),
      (.secureConnectionFailed, "secureConnectionFailed the TLS handshake with a:1 failed (code -1200)"),
      (.serverCertificateUntrusted, "secureConnectionFailed the certificate of a:1 was refused (code -1202)"),
      (.clientCertificateRequired, "secureConnectionFailed a:1 asks for a client certificate (code -1206)"),
      (
        .appTransportSecurityRequiresSecureConnection,
        "secureConnectionFailed App Transport Security allows no connection to a:1 without TLS (code -1022)"
      ),
      (.cancelled, "cancelled the request was cancelled (code -999)"),
    ])
  func codes(_ code: URLError.Code, _ text: String) {
    let error = TransportError(URLError(code), peer: "a:1", in: nil)
    #expect("\(error.kind.name) \(error.clause)" == text)
  }

  @Test("Inside a body the text has the received bytes")
  func places() {
    func text(_ code: URLError.Code, _ place: TransportError.Place) -> String {
      TransportError(URLError(code), peer: "a:1", in: place).message
    }
    let place = TransportError.Place(received: 5, expected: 9, coding: "GZIP")
    #expect(
      text(.networkConnectionLost, place) == "the connection to a:1 broke while the response was received")
    #expect(text(.cannotDecodeContentData, place) == "the gzip body is corrupt")
    let strange = TransportError.Place(received: 5, expected: nil, coding: "no token")
    #expect(text(.cannotDecodeContentData, strange) == "the content coding of the body is broken")
  }

  @Test("Errand's errors stay unchanged, and foreign errors keep their text")
  func others() {
    let own = TransportError(.encoding, "mine")
    #expect(TransportError(own, peer: "a:1", in: nil) == own)
    struct Strange: LocalizedError { var errorDescription: String? { "strange" } }
    #expect(TransportError(Strange(), peer: "a:1", in: nil).clause == "the transfer failed: strange")
  }

  @Test(
    "Joined cookies are split at a comma before a cookie",
    arguments: [
      ("a=1, b=2", ["a=1", "b=2"]),
      (
        "a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Path=/, b=2",
        ["a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT; Path=/", "b=2"]
      ),
      ("a=1,2; HttpOnly", ["a=1,2; HttpOnly"]),
      ("a=1", ["a=1"]), ("", [""]), (",", [","]),
    ])
  func cookies(_ joined: String, _ apart: [String]) {
    let headers: HTTPHeaders = ["X-A": "1, x=2", "Set-Cookie": joined]
    #expect(headers.withSeparateCookies.values(for: "Set-Cookie") == apart)
    #expect(headers.withSeparateCookies["X-A"] == "1, x=2")
  }

  @Test("Fields with the same name are joined, cookies with their separator")
  func fields() {
    let headers: HTTPHeaders = ["X-A": "1", "x-a": "2", "Cookie": "a=1", "X-B": "3", "cookie": "b=2"]
    #expect(headers.joined == ["X-A": "1, 2", "Cookie": "a=1; b=2", "X-B": "3"])
  }

  @Test("Unsupported limits are named, unless unlimited or at their defaults")
  func limits() {
    func name(_ change: (inout TransferLimits) -> Void) -> String? {
      var limits = TransferLimits()
      change(&limits)
      return limits.unsupportedBySessions
    }
    #expect(name { _ in } == nil && TransferLimits.unlimited.unsupportedBySessions == nil)
    #expect(name { $0.connectTimeout = .seconds(5) } == "connectTimeout")
    #expect(name { $0.decodedRatio = 10 } == "decodedRatio")
    #expect(name { $0.decodedSize = 10 } == "decodedSize")
    #expect(name { $0.informationalCount = 1 } == "informationalCount")
    #expect(name { $0.maximumReceiveRate = 1 } == "maximumReceiveRate")
    #expect(name { $0.maximumSendRate = 1 } == "maximumSendRate")
    #expect(name { $0.expectContinueSize = 1 } == "expectContinueSize")
  }

  @Test("The system's measurements count from the start of the exchange")
  func metrics() {
    #expect(
      TransportSummary.Metrics.version("h2") == "HTTP/2" && TransportSummary.Metrics.version("H3") == "HTTP/3"
    )
    #expect(
      TransportSummary.Metrics.version("http/1.1") == "HTTP/1.1"
        && TransportSummary.Metrics.version("spdy") == nil)
  }
}
