import ErrandMocks
import ErrandURLSession
import Foundation
import Testing

@testable import Errand
@testable import ErrandApps

/// Uses a substitute session; the system's session is not covered.
@Suite("Transfers in the background")
struct BackgroundTransfersTests {
  final class KeptSession: BackgroundSession {
    struct Task: Sendable {
      let message: URLRequest
      let file: URL?
      let note: String
    }

    private let kept = Locked([Task]())
    var tasks: [Task] { kept.withLock { $0 } }

    func download(_ request: HTTPRequest, over access: NetworkAccess, note: String) {
      let message = URLRequest(background: request, over: access)
      kept.withLock { $0.append(Task(message: message, file: nil, note: note)) }
    }

    func upload(_ request: HTTPRequest, from file: URL, over access: NetworkAccess, note: String) {
      let message = URLRequest(background: request, over: access)
      kept.withLock { $0.append(Task(message: message, file: file, note: note)) }
    }

    func cancel(_ fits: @escaping @Sendable (String) -> Bool) async {
      kept.withLock { tasks in tasks.removeAll { fits($0.note) } }
    }

    func notes() async -> [String] { tasks.map(\.note) + ["not ours"] }
  }

  struct Movie: Request {
    typealias Response = Data
    let path = "movies/7"
    var body = RequestBody.none
    var method = HTTPMethod.get
    var networkAccess = NetworkAccess.all
  }

  struct Film: DownloadRequest {
    let path = "movies/8"
    let destination: URL
    var checksum: FileChecksum?
  }

  private let folder = TemporaryDirectory()
  private let session = KeptSession()
  private let eventSource = BackgroundEventSource()
  private let transfers: BackgroundTransfers

  init() {
    let hooks = [HeaderHook()]
    let agent = RequestAgent(
      baseURL: "https://api.example.com", transport: MockTransport { _ in .status(200) }, hooks: hooks)
    transfers = BackgroundTransfers(session, eventSource: eventSource, agent: agent)
  }

  private struct HeaderHook: RequestHooks {
    func filterRequest(_ request: inout HTTPRequest, context: RequestContext) async throws {
      request.headers["X-Hook"] = "was here"
    }
  }

  private func response(_ status: Int) throws -> HTTPResponse {
    let url = try #require(URL(string: "https://api.example.com/movies/7"))
    return HTTPResponse(
      try #require(HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: [:])))
  }

  private static let lost = TransportError(background: URLError(.networkConnectionLost), url: nil)

  private func told() async -> [String] {
    eventSource.finish()
    var lines: [String] = []
    for await event in transfers.events { lines.append(Self.line(event)) }
    return lines
  }

  private static func line(_ event: BackgroundTransfers.Event) -> String {
    switch event {
    case .progressed(let transfer, let bytes, let total):
      "\(transfer.request) \(bytes) of \(total.map(String.init) ?? "?")"
    case .downloaded(_, let file, let head): "\(file.url.lastPathComponent) \(file.size) \(head.status.code)"
    case .uploaded(let transfer, let answer):
      "\(transfer.source?.lastPathComponent ?? "") \(answer.status.code) \(String(decoding: answer.body, as: UTF8.self))"
    case .failed(_, let error): "\(error.kind.name) \(error.reason) \(error.response?.body.count ?? 0)"
    }
  }

  @Test("A download is sent as by the agent, and its note restores everything in another process")
  func download() async throws {
    let place = folder.url.appendingPathComponent("deep/movie.mp4")
    let transfer = try await transfers.download(Movie(), to: place)
    let task = try #require(session.tasks.first)
    #expect(task.message.url?.absoluteString == "https://api.example.com/movies/7")
    #expect(task.message.value(forHTTPHeaderField: "X-Hook") == "was here" && task.file == nil)
    #expect(BackgroundTransfers.Transfer(note: task.note) == transfer)
    #expect(transfer.request == "Movie" && transfer.destination == place && transfer.source == nil)
    #expect(await transfers.running == [transfer])

    let file = try folder.file("system", "bytes")
    eventSource.progressed(task.note, bytes: 2, of: 5)
    eventSource.progressed(task.note, bytes: 5, of: -1)
    eventSource.downloaded(file, note: task.note, response: try response(200))
    eventSource.completed(task.note, response: try response(200), error: nil)
    #expect(await told() == ["Movie 2 of 5", "Movie 5 of ?", "movie.mp4 5 200"])
    #expect(try Data(contentsOf: place) == Data("bytes".utf8))
    let names = try FileManager.default.contentsOfDirectory(atPath: place.deletingLastPathComponent().path)
    #expect(names == ["movie.mp4"])
  }

  @Test("A transfer is signed as a sent request, not as an explained request")
  func signed() async throws {
    struct Fetching: Authenticator {
      func authenticate(_ request: inout HTTPRequest, context: Authentication.Context) async throws {
        if !context.isExplanation { request.headers["Authorization"] = "Bearer fetched" }
      }
    }
    var configuration = AgentConfiguration()
    configuration.authenticator = Fetching()
    let agent = RequestAgent(
      baseURL: "https://api.example.com", transport: FunctionTransport(), configuration: configuration)
    let transfers = BackgroundTransfers(session, eventSource: eventSource, agent: agent)
    try await transfers.download(Movie(), to: folder.url.appendingPathComponent("a"))
    #expect(session.tasks.first?.message.value(forHTTPHeaderField: "Authorization") == "Bearer fetched")
  }

  @Test("Networks that a request may not use are excluded, in both directions")
  func networks() async throws {
    let file = try folder.file("a", "x")
    for access in [NetworkAccess.all, .unmetered] {
      try await transfers.download(Movie(networkAccess: access), to: folder.url.appendingPathComponent("b"))
      try await transfers.upload(file, to: Movie(method: .put, networkAccess: access))
    }
    #expect(session.tasks.map(\.message.allowsCellularAccess) == [true, true, false, false])
  }

  @Test("A download request sets the destination of its file, and an unchecked checksum is refused")
  func downloadRequest() async throws {
    let place = folder.url.appendingPathComponent("film")
    let transfer = try await transfers.download(Film(destination: place))
    #expect(transfer.destination == place && transfer.request == "Film")
    let error = await #expect(throws: RequestError.self) {
      try await transfers.download(Film(destination: place, checksum: .announced))
    }
    #expect(error?.reason == "a background download cannot verify a checksum")
    let serialized = await #expect(throws: RequestError.self) {
      try await transfers.download(SerializedFilm(file: place), to: place)
    }
    #expect(serialized?.reason == "a background download cannot verify a checksum")
    #expect(session.tasks.count == 1)
  }

  struct SerializedFilm: Request {
    let file: URL
    let path = "movies/8"
    var responseSerializer: any ResponseSerializer<DownloadedFile> { .file(to: file, checksum: .announced) }
  }

  @Test("A background download asks for the whole file, although bytes of an earlier download are kept")
  func keptBytes() async throws {
    let place = folder.url.appendingPathComponent("film")
    let url = try #require(URL(string: "https://api.example.com/movies/8"))
    let part = KeptPart(of: place)
    try Data(count: 50).write(to: URL(fileURLWithPath: part.path))
    #expect(part.writeRecord(PartRecord(validator: "\"v1\"", length: 100, url: url)))
    try await transfers.download(ResumingFilm(destination: place))
    let fields = session.tasks.map { $0.message.allHTTPHeaderFields ?? [:] }
    #expect(fields.map { $0["Range"] ?? $0["If-Range"] } == [nil])
  }

  struct ResumingFilm: DownloadRequest {
    let path = "movies/8"
    let destination: URL
    let resumes = true
  }

  @Test("A path in the home directory is stored relative to home, because home may change at the next launch")
  func homes() throws {
    let home = "/var/containers/A1"
    let places = ["\(home)/Documents/a.mp4", "\(home)/Documents/", "/tmp/a", "\(home)2/a"]
    let texts = places.map { path in
      HomePath.text(of: URL(fileURLWithPath: path, isDirectory: path.hasSuffix("/")), home: home)
    }
    #expect(texts == ["~/Documents/a.mp4", "~/Documents/", "/tmp/a", "\(home)2/a"])
    let moved = texts.map { HomePath.url($0, home: "/var/containers/B2") }
    #expect(
      moved.map(\.path) == [
        "/var/containers/B2/Documents/a.mp4", "/var/containers/B2/Documents", "/tmp/a", "\(home)2/a",
      ])
    #expect(moved.map(\.hasDirectoryPath) == [false, true, false, false])
    let own = URL(fileURLWithPath: NSHomeDirectory()).appendingPathComponent("movies/a.mp4")
    let transfer = BackgroundTransfers.Transfer(id: "1", request: "Movie", destination: own, source: nil)
    #expect(transfer.note.contains(#""destination":"~\/movies\/a.mp4""#))
    #expect(BackgroundTransfers.Transfer(note: transfer.note) == transfer)
  }

  @Test("A handler gets the events after its registration, and no event is lost")
  @MainActor func laterHandlers() async throws {
    let calls = Recorder()
    eventSource.didFinishEvents()
    try await transfers.download(Movie(), to: folder.url)
    eventSource.completed(try #require(session.tasks.first?.note), response: nil, error: Self.lost)
    eventSource.take { calls.add("first") }
    eventSource.take { calls.add("second") }
    await Task { @MainActor in }.value
    #expect(calls.events == [])
    eventSource.didFinishEvents()
    await Task { @MainActor in }.value
    #expect(calls.events == ["first", "second"])
  }

  @Test("A started transfer delays a later handler until its events", arguments: [true, false])
  @MainActor func startedTransfer(_ isUpload: Bool) async throws {
    let calls = Recorder()
    eventSource.didFinishEvents()
    if isUpload {
      try await transfers.upload(try folder.file("a", "x"), to: Movie(method: .put))
    } else {
      try await transfers.download(Movie(), to: folder.url)
    }
    eventSource.take { calls.add("called") }
    await Task { @MainActor in }.value
    #expect(calls.events == [])
    eventSource.didFinishEvents()
    await Task { @MainActor in }.value
    #expect(calls.events == ["called"])
  }

  @Test("A transfer of another process is cancelled by its identifier")
  func cancelledByIdentifier() async throws {
    let kept = try await transfers.download(Movie(), to: folder.url)
    let other = BackgroundTransfers.Transfer(
      id: "1", request: "Movie", destination: URL(fileURLWithPath: "/old/home/movie.mp4"), source: nil)
    let request = HTTPRequest(url: try #require(URL(string: "https://api.example.com/movies/7")))
    session.download(request, over: .all, note: other.note)
    await transfers.cancel(.init(id: "1", request: "Film", destination: folder.url, source: nil))
    #expect(await transfers.running == [kept])
  }

  @Test("A refused response leaves the old file, and its body is in the error")
  func refused() async throws {
    let place = try folder.file("movie", "old")
    try await transfers.download(Movie(), to: place)
    let note = try #require(session.tasks.first?.note)
    eventSource.downloaded(
      try folder.file("system", "no such movie"), note: note, response: try response(404))
    eventSource.completed(note, response: try response(404), error: nil)
    #expect(await told() == ["status status 404 Not Found is not 200 to 299 13"])
    #expect(try Data(contentsOf: place) == Data("old".utf8))
  }

  @Test("A file that cannot be moved is an error of kind file")
  func unwritable() async throws {
    let blocker = try folder.file("blocker", "")
    try await transfers.download(Movie(), to: blocker.appendingPathComponent("movie"))
    let note = try #require(session.tasks.first?.note)
    eventSource.downloaded(try folder.file("system", "x"), note: note, response: try response(200))
    eventSource.completed(note, response: try response(200), error: nil)
    #expect(await told() == ["file \(blocker.path)/movie cannot be put in place: Not a directory 0"])
  }

  @Test("A lost connection has the agent's error, and foreign notes are ignored")
  func lost() async throws {
    try await transfers.download(Movie(), to: folder.url)
    let note = try #require(session.tasks.first?.note)
    eventSource.completed(note, response: nil, error: Self.lost)
    eventSource.completed("not ours", response: nil, error: nil)
    eventSource.completed(nil, response: nil, error: nil)
    #expect(await told() == ["connectionLost the connection to the server broke (code -1005) 0"])
  }

  @Test("An upload has its file's type, and its response up to the limit of errors")
  func upload() async throws {
    let file = try folder.file("a.png", "bytes")
    let transfer = try await transfers.upload(file, to: Movie(method: .put))
    let task = try #require(session.tasks.first)
    #expect(task.file == file && task.message.httpMethod == "PUT")
    #expect(task.message.value(forHTTPHeaderField: "Content-Type") == "image/png")
    eventSource.received(Data("tak".utf8), note: task.note)
    eventSource.received(Data("en".utf8), note: task.note)
    eventSource.completed(task.note, response: try response(201), error: nil)
    #expect(await told() == ["a.png 201 taken"])
    await transfers.cancel(transfer)
    #expect(session.tasks.isEmpty)
  }

  @Test("Unsupported requests are errors before the transfer starts")
  func refusals() async throws {
    let stream = AsyncStream<Data> { $0.finish() }
    let file = try folder.file("a", "x")
    func reason(_ body: () async throws -> Void) async throws -> String {
      let error = try await #require(throws: RequestError.self) { try await body() }
      return "\(error.kind.name): \(error.reason)"
    }
    #expect(
      try await reason { try await transfers.download(Movie(body: .stream(stream), method: .post), to: file) }
        == "unsupported: a background download supports only a body in memory")
    #expect(
      try await reason { try await transfers.upload(file, to: Movie(body: .text("x"), method: .put)) }
        == "unsupported: the request of a background upload cannot have a body besides the file")
    #expect(
      try await reason { try await transfers.upload(folder.url, to: Movie(method: .put)) }
        == "encoding: there is no file \(folder.url.path)")
    let web = try #require(URL(string: "https://a.example"))
    #expect(
      try await reason { try await transfers.download(Movie(), to: web) }
        == "file: the destination https://a.example is not a file URL")
    #expect(session.tasks.isEmpty)
  }

  @Test("The system's handler is called once after all events, in any order of arrival")
  @MainActor func handlers() async throws {
    for isFirst in [true, false] {
      let eventSource = BackgroundEventSource()
      let calls = OneTime<Void>()
      let count = Locked(0)
      let handler: @MainActor @Sendable () -> Void = {
        MainActor.assertIsolated()
        count.withLock { $0 += 1 }
        calls.set(())
      }
      if isFirst { eventSource.take(handler) }
      eventSource.didFinishEvents()
      if !isFirst { eventSource.take(handler) }
      try await calls.wait()
      eventSource.didFinishEvents()
      await Task { @MainActor in }.value
      #expect(count.withLock { $0 } == 1)
    }
  }

  #if os(Linux)
  @Test("Without background sessions in the system, creating transfers is an error")
  func missing() async throws {
    let error = try #require(throws: RequestError.self) {
      try BackgroundTransfers(identifier: "a", agent: RequestAgent(transport: FunctionTransport()))
    }
    #expect(
      error.kind == .unsupported && error.reason == "background sessions are not available on this system")
  }
  #endif

  @Test("A download already in place is reported, also if the task ends with an error")
  func placedBeforeError() async throws {
    let place = folder.url.appendingPathComponent("movie.mp4")
    try await transfers.download(Movie(), to: place)
    let note = try #require(session.tasks.first?.note)
    eventSource.downloaded(try folder.file("system", "bytes"), note: note, response: try response(200))
    eventSource.completed(note, response: nil, error: Self.lost)
    #expect(await told() == ["movie.mp4 5 200"])
    #expect(try Data(contentsOf: place) == Data("bytes".utf8))
  }
}
