import ErrandMocks
import Foundation
import Testing

@testable import Errand
@testable import ErrandLogs

@Suite("The queue of an HTML log")
struct HTMLLogQueueTests {
  private static let event = HTMLLogEntry.text(Data(), number: 1)

  @Test("Events in writing count until written, by number")
  func number() {
    var limits = HTMLLogger.Limits()
    limits.waitingEvents = 300
    var queue = HTMLLogQueue(limits: limits)
    func add(_ count: Int) -> Int { (0..<count).count { _ in queue.add(Self.event, size: 0) } }
    #expect(add(400) == 300)
    #expect(queue.batchCount == 3)
    let first = queue.next()
    #expect(first.events.count == 128)
    #expect(add(1) == 0)
    queue.end((first.events.count, first.size))
    #expect(add(400) == 128)
    #expect(queue.count == 300)
    var events = 0
    while case let batch = queue.next(), !batch.events.isEmpty {
      events += batch.events.count
      queue.end((batch.events.count, batch.size))
    }
    #expect(events == 300 && queue.count == 0)
  }

  @Test(
    "Events that retain their dispatches have half of the bytes, so other events have room"
  )
  func dispatches() {
    var limits = HTMLLogger.Limits()
    limits.waitingSize = 100
    var queue = HTMLLogQueue(limits: limits)
    let context = RequestContext(
      dispatched: .init(id: 1, request: OneOffRequest<Data>.get("a", as: Data.self), tools: .init()),
      attempt: 1)
    let event = HTMLLogEntry.event(
      HTMLLogEvent(kind: .shown("x"), number: 1, detail: .bodies, context: context))
    let fits = [51, 40, 11, 10].map { queue.add(event, size: $0) }
    #expect(fits == [false, true, false, true])
    let fitsText = queue.add(Self.event, size: 50)
    #expect(fitsText && queue.isFull)
    let few = (0..<100).count { _ in queue.add(event, size: 0) }
    #expect(few == 29 && queue.count == 32)
  }

  @Test("Events are limited by the bytes of their bodies, and events without a body are kept beside")
  func size() {
    var limits = HTMLLogger.Limits()
    limits.waitingSize = 100
    var queue = HTMLLogQueue(limits: limits)
    let fits = [60, 41, 40, 0].map { queue.add(Self.event, size: $0) }
    #expect(fits == [true, false, true, true])
    let batch = queue.next()
    let fitsMeanwhile = queue.add(Self.event, size: 1)
    #expect(batch.size == 100 && queue.size == 100 && !fitsMeanwhile)
    queue.end((batch.events.count, batch.size))
    let fitsAfter = queue.add(Self.event, size: 100)
    #expect(queue.size == 100 && fitsAfter)
  }

  @Test("A loss is reported once, unless reported in another way")
  func lost() {
    var queue = LogQueue<Int>(within: .init(count: 1, size: 0), batchLimit: 32)
    for event in 1...3 where !queue.add(event, within: queue.bounds) { queue.lose() }
    #expect(queue.next().events == [1] && queue.lost == 2)
    queue.lose(4, isReported: true)
    let told = [queue.takeUnreported(), queue.takeUnreported()]
    #expect(told == [2, 0] && queue.lost == 6 && queue.unreported == 0)
  }

  @Test("A dispatch ends on its page, even if more than a batch waits")
  func batches() async throws {
    let (folder, clock) = (LogFolder(), TestClock(autoAdvances: true))
    var limits = HTMLLogger.Limits()
    limits.exchangesPerPage = 100
    let recorder = HTMLLogRecorder(
      folder: HTMLLogFolder(directory: folder.url, name: "shop", started: LogFolder.date, limits: limits),
      limits: limits, clock: AgentClock(clock, date: LogFolder.date))
    let agent = RequestAgent(baseURL: "https://api.test", transport: FunctionTransport())
    let report = try await agent.response(for: .get("a")).report
    let contexts = (UInt64(1)...150).map { id in
      RequestContext(
        dispatched: .init(id: id, request: OneOffRequest<Void>.get("\(id)"), tools: .init()), attempt: 1)
    }
    recorder.queue.suspend()
    for context in contexts { recorder.begin(context, detail: .heads) }
    for context in contexts { recorder.end(report, in: context) }
    recorder.queue.resume()
    await recorder.flush()
    #expect(recorder.lost == 0 && folder.files.count == 3)
    for (page, numbers) in [(1, 1...100), (2, 101...150)] {
      let blocks = try folder.page(page).events.filter { $0.hasPrefix("start") || $0.hasPrefix("stop") }
      #expect(blocks == numbers.map { "start \($0)" } + numbers.map { "stop \($0)" })
    }
  }

  @Test(
    "Concurrent dispatches stay within the limits, also during writing, and every loss is counted"
  )
  func recorder() async throws {
    let (folder, clock) = (LogFolder(), TestClock(autoAdvances: true))
    var limits = HTMLLogger.Limits()
    (limits.waitingEvents, limits.waitingSize) = (50, 2_000)
    let recorder = HTMLLogRecorder(
      folder: HTMLLogFolder(directory: folder.url, name: "shop", started: LogFolder.date, limits: limits),
      limits: limits, clock: AgentClock(clock, date: LogFolder.date))
    let tools = RequestContext.Tools()
    await withTaskGroup(of: Void.self) { group in
      for id in UInt64(1)...200 {
        group.addTask {
          let request = OneOffRequest<Data>.get("\(id)", as: Data.self)
          let context = RequestContext(dispatched: .init(id: id, request: request, tools: tools), attempt: 1)
          recorder.begin(context, detail: .deferredBody)
          recorder.show(String(repeating: "x", count: 100), in: context)
          #expect(recorder.load.count <= 50 && recorder.load.size <= 2_000)
        }
      }
    }
    await recorder.flush()
    #expect(recorder.load.count == 0 && recorder.load.size == 0 && recorder.problem == nil)
    let page = try folder.page()
    let written = page.all("start").count + page.all("body").count
    #expect(written + recorder.lost == 400)
    let counts = page.all("lost").compactMap { $0["count"].number?.text }.compactMap { Int($0) }
    let told = counts.reduce(0, +)
    #expect(told == recorder.lost)
  }
}
