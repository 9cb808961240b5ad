import Foundation
import Testing

@testable import Errand

@Suite("The mailbox between network and consumer", .timeLimit(.minutes(5)))
struct TransferMailboxTests {
  private final class Exchange: TransferExchange {
    let request: TransportRequest
    let mailbox = Locked(TransferMailbox())

    init(_ url: URL) { request = TransportRequest(HTTPRequest(url: url)) }

    func begin() {}
    func stop() {}
    func makeRoom() {}
    func followSuspension() {}
  }

  @Test(
    "Waiting chunks are moved once each, for any number and size",
    arguments: [0, 100, 20_000])
  func moves(readMeanwhile: Int) async throws {
    let exchange = Exchange(try #require(URL(string: "https://a.example")))
    let count = 20_000
    var (read, sum) = (0, 0)
    func take() async throws {
      let chunk = try #require(try await exchange.nextChunk())
      sum += chunk.count == 4 ? chunk.reduce(0) { $0 << 8 | Int($1) } &* (read + 1) : 0
      read += 1
    }
    var expected = 0
    for number in 0..<count {
      var news = TransferNews()
      news.add(Data((0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }))
      if number == count - 1 { news.ending = .success(()) }
      exchange.deliver(news)
      expected += number &* (number + 1)
      if number < readMeanwhile { try await take() }
    }
    while read < count { try await take() }
    #expect(try await exchange.nextChunk() == nil && sum == expected)
    #expect(exchange.mailbox.withLock { $0.chunks.moves } <= count)
  }
}
