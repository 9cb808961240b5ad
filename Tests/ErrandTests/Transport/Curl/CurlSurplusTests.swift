#if os(Linux)
import Foundation
import Testing

@testable import Errand

/// Later requests must not use surplus bytes as their response.
@Suite("Curl: surplus bytes", .timeLimit(.minutes(30)))
struct CurlSurplusTests {
  private static let settings: ConnectionSettings = {
    var settings = ConnectionSettings()
    settings.tls.certificateAuthorities = TLSIdentity.certificate
    return settings
  }()
  static let kinds = OpenSSL.system == nil ? [false] : [false, true]
  /// `ERRAND_SURPLUS` overrides 800 requests.
  static let count = ProcessInfo.processInfo.environment["ERRAND_SURPLUS"].flatMap { Int($0) } ?? 800
  static let width = 16

  /// Near the boundaries of libcurl's reads and of TLS records.
  private static func length(_ number: Int) -> Int {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 16384\r\n\r\n".utf8.count
    let ends = [16_384 - head, 16_384, 32_768 - head, 40, 200, 28_000]
    // The factor 7 is no divisor of the surplus' period, so a length meets different surpluses.
    return ends[number / 7 % ends.count] + number % 7 - 3
  }

  private static func surplus(_ number: Int) -> Int {
    let all = [1, 20, 84, 16_381, 16_382, 16_383, 16_384, 16_385, 16_386, 16_387, 33_000]
    // Every second batch of responses has no surplus, so connections are reused.
    return (number / width).isMultiple(of: 2) ? 0 : all[number % all.count]
  }

  private func ask(
    _ server: SurplusServer, _ transport: CurlTransport, _ number: Int, _ moment: SurplusServer.Moment,
    atMost limit: Int = .max
  ) async -> String? {
    let length = min(Self.length(number), limit)
    let surplus = min(Self.surplus(number), limit - length)
    do {
      let answer = try await server.ask(transport, number, moment, length: length, surplus: surplus)
      return answer == "\(number)/\(length)" ? nil : "\(number) (\(length), \(surplus)) got \(answer)"
    } catch {
      return "\(number) (\(length), \(surplus)) failed: \(error)"
    }
  }

  @Test(
    "every request gets its own response, for any surplus after the previous response",
    arguments: kinds, SurplusServer.Moment.allCases)
  func ownAnswers(isSecure: Bool, moment: SurplusServer.Moment) async throws {
    let server = try SurplusServer(isSecure: isSecure)
    let wrong = await withTaskGroup(of: [String].self) { group in
      for worker in 0..<Self.width {
        group.addTask {
          // A request of another worker could use a connection before the surplus arrives.
          let transport = CurlTransport(certificateAuthorities: TLSIdentity.certificate, eventLoops: 1)
          var wrong: [String] = []
          for round in 0..<Self.count / Self.width {
            if let text = await ask(server, transport, round * Self.width + worker, moment) {
              wrong.append(text)
            }
          }
          return wrong
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(wrong == [])
    #expect(server.server.connectionCount < Self.count)
  }

  /// With few events at once, one poll may not report all readable connections.
  @Test(
    "no request gets another's bytes if the next request is sent right after a response", arguments: kinds,
    [256, 1])
  func breathless(isSecure: Bool, eventsAtOnce: Int) async throws {
    let server = try SurplusServer(isSecure: isSecure)
    let transport = CurlTransport(
      loop: CurlLoop(
        CurlConnections(Self.settings), eventsAtOnce: eventsAtOnce))
    let wrong = await withTaskGroup(of: [String].self) { group in
      for worker in 0..<Self.width {
        group.addTask {
          var wrong: [String] = []
          for round in 0..<Self.count / Self.width {
            // The last bytes of a larger response could arrive after the next request.
            let number = round * Self.width + worker
            if let text = await ask(server, transport, number, .together, atMost: 30_000) {
              wrong.append(text)
            }
          }
          return wrong
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(wrong == [])
  }

  @Test(
    "1,000 sequential requests share a connection, including TLS 1.3 with its tickets",
    arguments: kinds)
  func reuse(isSecure: Bool) async throws {
    let server = try SurplusServer(isSecure: isSecure)
    let transport = CurlTransport(certificateAuthorities: TLSIdentity.certificate)
    for number in 0..<1000 {
      #expect(try await server.ask(transport, number, .early, length: 1000, surplus: 0) == "\(number)/1000")
    }
    #expect(server.server.connectionCount == 1)
  }

  @Test(
    "a TLS record without data between two requests costs a new connection",
    .enabled(if: OpenSSL.system != nil))
  func strayRecord() async throws {
    let isAnswered = DispatchSemaphore(value: 0)
    let server = try RawServer.secure { connection in
      while connection.readRequest() != nil {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        guard connection.number == 1 else { continue }
        isAnswered.wait()
        connection.channel(as: TLSChannel.self)?.updateKey()
        connection.note("changed")
      }
    }
    let transport = CurlTransport(certificateAuthorities: TLSIdentity.certificate)
    #expect(try await transport.whole(server.url()).text == "ok")
    isAnswered.signal()
    await server.wait(for: "changed")
    for method in [HTTPMethod.post, .get] {
      #expect(try await transport.whole(server.url(), method).text == "ok")
    }
    #expect(server.connectionCount == 2)
  }
}
#endif
