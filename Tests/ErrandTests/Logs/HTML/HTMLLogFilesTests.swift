import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandLogs

@Suite("The files of an HTML log")
struct HTMLLogFilesTests {
  private let folder = LogFolder()
  private let clock = TestClock(autoAdvances: true)
  private static let run = "shop_log_2026-11-24T08-26-48Z"

  private func send(_ count: Int, to logger: HTMLLogger) async throws {
    let agent = LogFolder.agent(logger, clock, HTTPResponse(body: Data("x".utf8)))
    for index in 0..<count { _ = try await agent.send(.get("\(index)", as: Data.self)) }
    await logger.flush()
  }

  @Test(
    "Nothing is written before the first dispatch, then the newest page links to the run, and both are private"
  )
  func names() async throws {
    let logger = folder.logger(clock)
    await logger.flush()
    #expect(folder.files == [])
    try await send(1, to: logger)
    #expect(folder.files == ["\(Self.run)/page-1.html", "shop_log_newest.html"])
    #expect(logger.newest.lastPathComponent == "shop_log_newest.html")
    let newest = try String(contentsOf: logger.newest, encoding: .utf8)
    #expect(newest.contains(#"content="0; url=shop_log_2026-11-24T08-26-48Z/page-1.html""#))
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path().path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test("Unusual characters in a name become hyphens")
  func oddNames() {
    func name(_ text: String) -> String {
      HTMLLogFolder(directory: folder.url, name: text, started: LogFolder.date, limits: .init()).name
    }
    #expect(name("../a b/é") == "-a-b--")
    #expect(name("") == "errand")
    #expect(name("...") == "errand")
    #expect(name("shop_1.2-x") == "shop_1.2-x")
  }

  @Test("A full page is followed by another, by number and by size")
  func pages() async throws {
    var limits = HTMLLogger.Limits()
    limits.exchangesPerPage = 2
    try await send(5, to: folder.logger(clock, limits: limits))
    #expect(folder.files.count == 4)
    #expect(try (1...3).map { try folder.page($0).all("start").count } == [2, 2, 1])
    #expect(try (1...3).map { try folder.page($0).all("stop").count } == [2, 2, 1])
    #expect(try folder.page(3).all("run")[0]["page"].number?.text == "3")
    #expect(
      try (1...3).map { try folder.page($0).all("next").map { $0["page"].number?.text } } == [
        ["2"], ["3"], [],
      ])
    limits = HTMLLogger.Limits()
    limits.pageSize = 1
    let later = LogFolder.date.addingTimeInterval(60)
    try await send(3, to: folder.logger(clock, limits: limits, at: later))
    let run = "shop_log_2026-11-24T08-27-48Z"
    #expect(folder.files.filter { $0.hasPrefix(run) } == (1...3).map { "\(run)/page-\($0).html" })
  }

  /// With one dispatch per page.
  private var singles: HTMLLogWriter { singles() }

  private func singles(totalSize: Int = HTMLLogger.Limits().totalSize) -> HTMLLogWriter {
    var limits = HTMLLogger.Limits()
    limits.exchangesPerPage = 1
    limits.totalSize = totalSize
    let pages = HTMLLogFolder(
      directory: folder.url, name: "shop", started: LogFolder.date, limits: limits)
    return HTMLLogWriter(folder: pages, limits: limits)
  }

  private func start(_ number: Int) -> HTMLLogEntry {
    let context = RequestContext(
      dispatched: .init(id: 1, request: OneOffRequest<Data>.get("a", as: Data.self), tools: .init()),
      attempt: 1)
    return .start(HTMLLogStart(number: number, in: context, at: LogFolder.date))
  }

  @Test("A dispatch ends on the page of its start")
  func overlapping() throws {
    var writer = singles
    let events = [1, 2, 1, 2, 3, 1].map(start)
    #expect(writer.write(events, dropped: 0, oldest: 1).lost == 0)
    #expect(try folder.page(1).events == ["run", "start 1", "next", "start 1", "start 1"])
    #expect(try folder.page(2).events == ["run", "start 2", "start 2", "next"])
    #expect(try folder.page(3).events == ["run", "start 3"])
  }

  @Test("The page of the oldest running dispatch stays over the total size until the dispatch ends")
  func oldestRunning() throws {
    var writer = singles(totalSize: 0)
    func files() -> [String] {
      folder.files.filter { $0.hasPrefix("\(Self.run)/") }.map { String($0.dropFirst(Self.run.count + 1)) }
    }
    for number in 1...4 { #expect(writer.write([start(number)], dropped: 0, oldest: 1).lost == 0) }
    #expect(files() == ["page-1.html", "page-4.html"])
    #expect(writer.write([start(1)], dropped: 0, oldest: 4).lost == 0)
    #expect(try folder.page(1).events == ["run", "start 1", "next", "start 1"])
    #expect(writer.write([start(5)], dropped: 0, oldest: 5).lost == 0)
    #expect(files() == ["page-5.html"])
    // A dispatch of the same batch counts as running until its last event.
    #expect(writer.write([6, 7, 8, 6].map(start), dropped: 0, oldest: 9).lost == 0)
    #expect(files() == ["page-6.html", "page-8.html"])
    #expect(try folder.page(6).events == ["run", "start 6", "next", "start 6"])
  }

  @Test(
    "Completed pages are forgotten, so their list does not grow with the dispatches")
  func forgotten() throws {
    var writer = singles
    for number in 1...20 { #expect(writer.write([start(number)], dropped: 0, oldest: number).lost == 0) }
    #expect(writer.keptPages == 1)
    for number in 21...30 { #expect(writer.write([start(number)], dropped: 0, oldest: 20).lost == 0) }
    #expect(writer.keptPages == 11)
    #expect(writer.write([start(20)], dropped: 0, oldest: 31).lost == 0)
    #expect(writer.keptPages == 1)
    #expect(try folder.page(20).events == ["run", "start 20", "next", "start 20"])
    #expect(folder.files.count == 31)
  }

  @Test("Runs over the limit are removed, the oldest first, and no other files")
  func runs() async throws {
    var limits = HTMLLogger.Limits()
    limits.runs = 2
    let others = ["other_log_2020-01-01T00-00-00Z", "shop_log_notes", "shop_log_2020-01-01T00-00-00Z"]
    for other in others {
      let place = folder.url.appendingPathComponent(other)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try Data("mine".utf8).write(to: place.appendingPathComponent("mine.html"))
    }
    for hour in 0..<4 {
      let date = LogFolder.date.addingTimeInterval(Double(hour) * 3600)
      try await send(1, to: folder.logger(clock, limits: limits, at: date))
    }
    #expect(
      folder.files == [
        "other_log_2020-01-01T00-00-00Z/mine.html", "shop_log_2020-01-01T00-00-00Z/mine.html",
        "shop_log_2026-11-24T10-26-48Z/page-1.html", "shop_log_2026-11-24T11-26-48Z/page-1.html",
        "shop_log_newest.html", "shop_log_notes/mine.html",
      ])
  }

  @Test("Pages over the total size are removed, the oldest first, and never the newest")
  func totalSize() async throws {
    var limits = HTMLLogger.Limits()
    limits.exchangesPerPage = 1
    limits.totalSize = HTMLLogPage.head(title: "").count * 5 / 2
    try await send(4, to: folder.logger(clock, limits: limits))
    #expect(folder.files == ["\(Self.run)/page-3.html", "\(Self.run)/page-4.html", "shop_log_newest.html"])
    limits.totalSize = 0
    let later = LogFolder.date.addingTimeInterval(60)
    try await send(1, to: folder.logger(clock, limits: limits, at: later))
    #expect(folder.files == ["shop_log_2026-11-24T08-27-48Z/page-1.html", "shop_log_newest.html"])
  }

  @Test("Two runs in the same second have separate folders")
  func sameSecond() async throws {
    try await send(1, to: folder.logger(clock))
    try await send(1, to: folder.logger(clock))
    #expect(try folder.page(1, of: "\(Self.run)_02").all("start").count == 1)
  }

  @Test("Runs of the same second are removed oldest first, and a freed name is not reused")
  func sameSecondAgain() async throws {
    var limits = HTMLLogger.Limits()
    limits.runs = 2
    for _ in 1...5 { try await send(1, to: folder.logger(clock, limits: limits)) }
    #expect(
      folder.files == [
        "\(Self.run)_04/page-1.html", "\(Self.run)_05/page-1.html", "shop_log_newest.html",
      ])
    let newest = try String(contentsOf: folder.logger(clock).newest, encoding: .utf8)
    #expect(newest.contains("url=\(Self.run)_05/page-1.html"))
  }

  @Test("After 99 runs in the same second, the numbers grow, and the newest runs are kept")
  func hundredRuns() async throws {
    for suffix in ["", "_99"] {
      let run = folder.url.appendingPathComponent(Self.run + suffix)
      try FileManager.default.createDirectory(at: run, withIntermediateDirectories: true)
    }
    var limits = HTMLLogger.Limits()
    limits.runs = 2
    for _ in 1...3 { try await send(1, to: folder.logger(clock, limits: limits)) }
    #expect(
      folder.files == [
        "\(Self.run)_101/page-1.html", "\(Self.run)_102/page-1.html", "shop_log_newest.html",
      ])
  }

  @Test("A removed log restarts with the next dispatch")
  func removed() async throws {
    let logger = folder.logger(clock)
    try await send(1, to: logger)
    try FileManager.default.removeItem(at: folder.url)
    try await send(1, to: logger)
    #expect(logger.problem?.hasSuffix("cannot be written: No such file or directory.") == true)
    #expect(logger.lostEvents > 0)
    try await send(1, to: logger)
    #expect(logger.problem == nil)
    #expect(try folder.page(2).all("start").count == 1)
    #expect(try folder.page(2).all("lost").count == 1)
  }

  @Test("A folder that cannot be created is a problem of the logger, and no error of a request")
  func unwritable() async throws {
    try Data().write(to: folder.url)
    let logger = folder.logger(clock)
    try await send(1, to: logger)
    #expect(logger.problem?.hasPrefix("The log \(folder.url.path) cannot be created: ") == true)
    #expect(logger.problem?.hasSuffix(".") == true && logger.problem?.hasSuffix("..") == false)
    #expect(logger.lostEvents == 4)
  }

  @Test(
    "A block that cannot be written completely is not written in part",
    .enabled(if: Platform.name == "Linux", "/dev/full"))
  func fullDisk() throws {
    #expect(throws: RegularFile.Problem("cannot be written: No space left on device")) {
      try HTMLLogFile.append(Data("x".utf8), to: "/dev/full")
    }
  }

  @Test("A blocked disk delays no request, and lost events are counted on the page")
  func blocked() async throws {
    var limits = HTMLLogger.Limits()
    limits.waitingEvents = 10
    let logger = folder.logger(clock, limits: limits)
    try await send(1, to: logger)
    let page = folder.path()
    let kept = page.deletingLastPathComponent().appendingPathComponent("kept")
    try FileManager.default.moveItem(at: page, to: kept)
    // Opening a FIFO for writing blocks until a reader opens the FIFO.
    #expect(mkfifo(page.path, 0o600) == 0)
    let agent = LogFolder.agent(logger, clock, HTTPResponse(body: Data("x".utf8)))
    for index in 0..<50 { _ = try await agent.send(.get("\(index)", as: Data.self)) }
    // Ten events are in writing or waiting.
    #expect(logger.lostEvents == 190)
    let written = await folder.drain(page, logger)
    #expect(written > 0)
    unlink(page.path)
    try FileManager.default.moveItem(at: kept, to: page)
    try await send(1, to: logger)
    #expect(try folder.page().all("start").count == 2)
  }
}
