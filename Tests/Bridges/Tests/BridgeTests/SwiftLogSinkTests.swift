import Errand
import InMemoryLogging
import Logging
import Testing

@Suite("Logs by swift-log")
struct SwiftLogSinkTests {
  static func entries(_ id: Int, level: Logger.Level = .info) async throws -> [InMemoryLogHandler.Entry] {
    let handler = InMemoryLogHandler()
    let logger = Logger(label: "test") { _ in handler }
    let server = try Scene.server()
    let log = ConsoleLogger(level: .body, sink: SwiftLogSink(logger: logger, level: level))
    _ = try? await Scene.agent(server, accessories: [log]).send(Scene.GetUser(id: id))
    return handler.entries
  }

  @Test("Each event has a level, its numbers, and the attributes of its attempt")
  func events() async throws {
    let entries = try await Self.entries(7)
    #expect(
      entries.map { "\($0.level) \($0.message.description.prefix(7))" } == [
        "info [1.1] >", "info [1.1] <", "warning [1.1] !", "info [1.2] >", "info [1.2] <",
        "warning [1.2] !", "info [1.3] >", "info [1.3] <", "info [1.3] >", "info [1.3] <", "info [1] = s",
      ])
    #expect(entries[1].metadata["errand.dispatch"] == "1" && entries[1].metadata["errand.attempt"] == "1")
    #expect(entries[1].metadata["http.response.status_code"] == "503")
    #expect(entries[9].metadata["url.template"] == "/users/{id}")
    #expect(entries[9].metadata["http.request.resend_count"] == "3")
    #expect(entries[10].metadata["errand.attempt"] == nil)
  }

  @Test("A final failure has the level error, and events below the logger's level are not written")
  func levels() async throws {
    #expect(
      try await Self.entries(8, level: .debug).map { "\($0.level) \($0.message.description.prefix(7))" } == [
        "error [1.1] !", "error [1] = f",
      ])
  }

  @Test("No secret reaches the logger", arguments: [7, 8])
  func secrets(id: Int) async throws {
    let entries = try await Self.entries(id)
    #expect(entries.count > 3)
    for entry in entries { #expect(!"\(entry.message) \(entry.metadata)".contains(Scene.canary)) }
  }
}
