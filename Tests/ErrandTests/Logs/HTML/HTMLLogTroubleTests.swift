import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandLogs

@Suite("External changes to the files of an HTML log, and invalid limits")
struct HTMLLogTroubleTests {
  private let folder = LogFolder()
  private let clock = TestClock(autoAdvances: true)
  private static let run = "shop_log_2026-11-24T08-26-48Z"

  private func send(_ count: Int = 1, to logger: HTMLLogger) async throws {
    let agent = LogFolder.agent(logger, clock, HTTPResponse(body: Data("x".utf8)))
    for index in 0..<count { _ = try await agent.send(.get("\(index)", as: Data.self)) }
    await logger.flush()
  }

  private func makeFolder(_ name: String) throws -> URL {
    let place = folder.url.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    return place
  }

  private func text(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }

  @Test(
    "A file in place of the newest page is reported, loses no event, and is replaced after its removal")
  func newestInTheWay() async throws {
    let logger = folder.logger(clock)
    let place = try makeFolder(logger.newest.lastPathComponent)
    try await send(2, to: logger)
    #expect(logger.problem == "The log \(place.path) cannot be written: Is a directory.")
    #expect(try folder.page().all("stop").count == 2)
    try FileManager.default.removeItem(at: place)
    try await send(to: logger)
    #expect(logger.problem == nil)
    #expect(logger.lostEvents == 0)
    #expect(try folder.page().all("stop").count == 3)
    #expect(try text(place).contains(#"content="0; url=\#(Self.run)/page-1.html""#))
  }

  @Test("The problem names the item that could not be created")
  func names() async throws {
    let logger = folder.logger(clock)
    try await send(to: logger)
    let page = folder.path()
    try FileManager.default.removeItem(at: page)
    try FileManager.default.createDirectory(at: page, withIntermediateDirectories: true)
    try await send(to: logger)
    #expect(logger.problem == "The log \(page.path) cannot be written: Is a directory.")
  }

  @Test("A link in place of the newest page is replaced, and its target stays")
  func links() async throws {
    let precious = try makeFolder("elsewhere").appendingPathComponent("page-1.html")
    try Data("precious".utf8).write(to: precious)
    let logger = folder.logger(clock)
    for target in [precious.path, folder.url.path + "/nothing"] {
      try? FileManager.default.removeItem(at: logger.newest)
      try FileManager.default.createSymbolicLink(atPath: logger.newest.path, withDestinationPath: target)
      try await send(to: folder.logger(clock))
      #expect(
        try FileManager.default.attributesOfItem(atPath: logger.newest.path)[.type] as? FileAttributeType
          == .typeRegular)
    }
    #expect(try text(precious) == "precious")
    #expect(!FileManager.default.fileExists(atPath: folder.url.path + "/nothing"))
  }

  @Test("A link with the name of an old run is no run, and its target is not removed")
  func linkedRuns() async throws {
    let precious = try makeFolder("elsewhere").appendingPathComponent("page-1.html")
    try Data("precious".utf8).write(to: precious)
    try FileManager.default.createSymbolicLink(
      atPath: folder.url.path + "/shop_log_2020-01-01T00-00-00Z",
      withDestinationPath: precious.deletingLastPathComponent().path)
    var limits = HTMLLogger.Limits()
    (limits.runs, limits.totalSize) = (1, 0)
    try await send(to: folder.logger(clock, limits: limits))
    #expect(try text(precious) == "precious")
  }

  @Test(
    "A run in writing, and its last page, are not removed by newer runs until the run has ended")
  func runningRuns() async throws {
    var limits = HTMLLogger.Limits()
    (limits.runs, limits.totalSize, limits.exchangesPerPage) = (2, 0, 1)
    func newer(_ minute: Int) -> HTMLLogger {
      folder.logger(clock, limits: limits, at: LogFolder.date.addingTimeInterval(Double(minute) * 60))
    }
    var running: HTMLLogger? = folder.logger(clock, limits: limits)
    if let running { try await send(2, to: running) }
    for minute in 1...4 {
      try await send(to: newer(minute))
      #expect(folder.files.first == "\(Self.run)/page-2.html")
    }
    if let running {
      try await send(to: running)
      #expect(running.problem == nil)
      #expect(running.lostEvents == 0)
    }
    #expect(try folder.page(3).all("stop").count == 1)
    running = nil
    try await send(to: newer(5))
    #expect(folder.files == ["shop_log_2026-11-24T08-31-48Z/page-1.html", "shop_log_newest.html"])
  }

  @Test("Limits that are too small or too large are clamped")
  func limits() async throws {
    let members: [WritableKeyPath<HTMLLogger.Limits, Int>] = [
      \.body, \.image, \.exchangesPerPage, \.pageSize, \.runs, \.totalSize, \.waitingEvents, \.waitingSize,
    ]
    var (least, most) = (HTMLLogger.Limits(), HTMLLogger.Limits())
    for member in members { (least[keyPath: member], most[keyPath: member]) = (.min, .max) }
    #expect(members.map { least.clamped[keyPath: $0] } == [0, 0, 1, 1, 1, 0, 1, 0])
    #expect(members.allSatisfy { most.clamped[keyPath: $0] == .max / 4 })
    #expect(HTMLLogger.Limits().clamped == HTMLLogger.Limits())
    for (minute, limits) in [least, most].enumerated() {
      let date = LogFolder.date.addingTimeInterval(Double(minute) * 60)
      let logger = folder.logger(clock, limits: limits, at: date)
      try await send(3, to: logger)
      #expect(logger.problem == nil)
    }
    #expect(try folder.page(of: "shop_log_2026-11-24T08-27-48Z").all("stop").count == 3)
  }

  @Test("A folder URL of another machine is a problem, and nothing is written elsewhere")
  func remote() async throws {
    let url = try #require(URL(string: "https://ada:pw-canary@h.example\(folder.url.path)"))
    let logger = HTMLLogger(directory: url)
    try await send(to: logger)
    #expect(
      logger.problem
        == "The log https://<redacted>@h.example\(folder.url.path) is not a local folder: use a file URL."
    )
    #expect(logger.lostEvents == 4)
    #expect(!FileManager.default.fileExists(atPath: folder.url.path))
  }

  @Test(
    "With a blocked disk, the queue keeps a limited number of request bodies, and loses no event for the bodies"
  )
  func bodies() async throws {
    var limits = HTMLLogger.Limits()
    limits.waitingSize = 8_000_000
    let logger = folder.logger(clock, limits: limits)
    try await send(to: logger)
    let page = folder.path()
    unlink(page.path)
    // Opening a FIFO for writing blocks until a reader opens the FIFO.
    #expect(mkfifo(page.path, 0o600) == 0)
    let agent = RequestAgent(
      baseURL: "https://api.example.com", transport: ForgetfulTransport(), accessories: [logger])
    let bodies = LiveBodies()
    for index in 0..<40 {
      let request = OneOffRequest<Data>(
        "\(index)", method: .post, body: .data(bodies.make(1_000_000), contentType: "text/plain"),
        response: .data)
      _ = try await agent.send(request)
    }
    // Half of the waiting size is four bodies. The blocked batch may have four, and one may be in release.
    #expect(bodies.count <= 9)
    #expect(logger.lostEvents == 0)
    #expect(await folder.drain(page, logger) > 40 * 65_536)
  }

  @Test("A body in memory counts, in any wrapper")
  func memory() throws {
    let data = RequestBody.data(Data(count: 1000))
    let document = RequestBody.multipart([BodyPart(name: "a", body: data), BodyPart(name: "b", body: data)])
    #expect(data.memorySize == 1000)
    #expect(document.memorySize == 2000)
    #expect(document.gzipped().memorySize == 2000)
    #expect(try data.gzipped().prepared { JSONCoding() }.memorySize > 1000)
    #expect(RequestBody.file(URL(fileURLWithPath: "/dev/null")).memorySize == 0)
    #expect(RequestBody.none.memorySize == 0)
  }
}

/// Bodies whose bytes are not yet released.
private final class LiveBodies: Sendable {
  private let live = Locked(0)

  var count: Int { live.withLock { $0 } }

  func make(_ count: Int) -> Data {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    bytes.initializeMemory(as: UInt8.self, repeating: 65)
    live.withLock { $0 += 1 }
    guard let start = bytes.baseAddress else { return Data() }
    return Data(
      bytesNoCopy: start, count: count,
      deallocator: .custom { start, _ in
        start.deallocate()
        self.live.withLock { $0 -= 1 }
      })
  }
}

/// Keeps no requests, unlike other transports of the tests.
private struct ForgetfulTransport: Transport {
  let capabilities = TransportCapabilities()

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    TransportResponse(head: HTTPResponse(), body: BodyStream(Data("x".utf8)))
  }
}
