import Errand
import ErrandMocks
import Foundation
import TestSupport

/// A program whose output the tests read.
@main
struct ExitProbe {
  static func main() async throws {
    let arguments = CommandLine.arguments
    switch arguments.dropFirst().first {
    case "mistakes": try await sendMistakes()
    case "download": try await download(arguments[2], to: arguments[3], killedAfter: Int(arguments[4]))
    case "download-cut":
      try await download(arguments[2], to: arguments[3], resumes: false, killedAfter: Int(arguments[4]))
    case "upload":
      try await upload(arguments[2], to: arguments[3], state: arguments[4], killedAfter: Int(arguments[5]))
    case "page":
      let numbers = arguments.dropFirst(3).compactMap { Int($0) }
      try await writePage(
        in: arguments[2], count: numbers.first ?? 0, exchangesPerPage: numbers.dropFirst().first)
    case "lifecycle": try await printLifecycle()
    case "odd-page": try await writeOddPage(in: arguments[2])
    case "cache":
      try await fillCache(
        arguments[2], seed: UInt64(arguments[3]) ?? 0, killedAfter: UInt32(arguments[4]) ?? 0)
    case "cache-cut": try await cutCaching(arguments[2], path: arguments[3])
    case "renewals":
      try await renew(at: arguments[2], store: arguments[3], name: arguments[4], killedAfter: arguments[5])
    case "log": try await log(in: arguments[2], killedAfter: UInt32(arguments[3]) ?? 0)
    case "limited-download":
      limitFiles(to: UInt(arguments[5]) ?? 0)
      await tryDownload(arguments[2], to: arguments[3], resumes: arguments[4] == "resumes")
    default: try await exitInFlight()
    }
  }

  /// Limits the size of files of this process, like a full disk.
  private static func limitFiles(to count: UInt) {
    #if os(Linux)
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: count, rlim_max: count)
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    #endif
  }

  /// Prints the size of the file, or the kind and the reason of the error.
  private static func tryDownload(_ url: String, to path: String, resumes: Bool) async {
    do {
      let agent = RequestAgent()
      print(try await agent.download(.get(url), to: URL(fileURLWithPath: path), resumes: resumes).size)
    } catch {
      print((error as? RequestError).map { "\($0.kind): \($0.reason)" } ?? "\(error)")
    }
  }

  /// Downloads a file, and resumes the download of an earlier process.
  ///
  /// If `count` is given, the process kills itself after that number of bytes.
  private static func download(
    _ url: String, to path: String, resumes: Bool = true, killedAfter count: Int?
  ) async throws {
    let standard = DefaultTransport.make()
    let transport: any Transport =
      count.map { CutTransport(standard, after: $0) { kill(getpid(), SIGKILL) } } ?? standard
    let file = try await RequestAgent(transport: transport)
      .download(.get(url), to: URL(fileURLWithPath: path), resumes: resumes)
    print(file.size)
  }

  /// Uploads a file over tus, and resumes the upload of an earlier process.
  ///
  /// If `count` is given, the process kills itself after that number of bytes.
  private static func upload(
    _ path: String, to url: String, state place: String, killedAfter count: Int?
  ) async throws {
    let standard = DefaultTransport.make()
    let transport: any Transport =
      count.map { CutUploads(standard, after: [$0]) { kill(getpid(), SIGKILL) } } ?? standard
    let file = URL(fileURLWithPath: place)
    let state = try (try? Data(contentsOf: file)).map {
      try JSONDecoder().decode(UploadProtocol.State.self, from: $0)
    }
    let receipt = try await RequestAgent(transport: transport).upload(
      .file(URL(fileURLWithPath: path)), to: .post(url), by: .tus(chunkSize: 100_000), resuming: state,
      stateChanged: { try? JSONEncoder().encode($0).write(to: file, options: .atomic) })
    print(receipt.size)
  }

  /// Stores responses in a disk cache until the process is killed, `time` microseconds after the first
  /// response.
  ///
  /// The head of each response contains a seed, which generates the body.
  private static func fillCache(_ path: String, seed: UInt64, killedAfter time: UInt32) async throws {
    var configuration = AgentConfiguration()
    configuration.cache = try .disk(directory: URL(fileURLWithPath: path), capacity: 8 << 20)
    let agent = RequestAgent(
      baseURL: "https://cache.test",
      transport: MockTransport { request in
        let seed = UInt64(request.headers["X-Seed"] ?? "") ?? 0
        return .chunks(CachePattern.pieces(of: seed)).header(
          "X-Seed", "\(seed)"
        )
        .header("Cache-Control", "max-age=1000")
      }, configuration: configuration)
    var seed = seed
    for count in 0... {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let request = OneOffRequest<Data>.get(
        "\(seed >> 40 & 31)", headers: ["X-Seed": "\(seed)"], as: Data.self)
      _ = try await agent.send(request.with(\.cachePolicy, .reload))
      guard count == 0 else { continue }
      Thread.detachNewThread {
        usleep(time)
        kill(getpid(), SIGKILL)
      }
    }
  }

  /// Stores a part of a response in a disk cache, and kills the process.
  private static func cutCaching(_ folder: String, path: String) async throws {
    var configuration = AgentConfiguration()
    configuration.cache = try .disk(directory: URL(fileURLWithPath: folder))
    let agent = RequestAgent(
      baseURL: "https://cache.test",
      transport: MockTransport { _ in
        .chunks([Data(count: 1_100_000), Data(count: 1)], gap: .seconds(3600))
          .header("Cache-Control", "max-age=1000")
      }, configuration: configuration)
    for try await _ in try await agent.stream(.get(path)).body { kill(getpid(), SIGKILL) }
  }

  /// A request whose headers have the wrong type for `Request`.
  private struct Careless<Value: Decodable & Sendable>: Request {
    typealias Response = Value
    typealias HeadersMember = HTTPHeaders
    let headers = ["X-Key": "s3cret"]
  }

  /// Sends many requests of two careless types in several ways.
  private static func sendMistakes() async throws {
    let agent = RequestAgent.mocked(by: MockTransport { _ in .text("1") })
    for _ in 0..<3 {
      _ = try await agent.send(Careless<Double>())
      _ = try await agent.start(Careless<Double>().with(\.timeout, .seconds(5))).value
      for try await _ in try await agent.stream(Careless<Int>()).body {}
      _ = try await agent.send(.get("1", as: Int.self))
    }
  }

  /// Ends the process with 100 requests in flight.
  private static func exitInFlight() async throws {
    let server = try MockServer()
    server.route(.get, "/late", answers: .status(204).delayed(by: .seconds(3600)))
    server.route(.get, "/slow", answers: .chunks([Data("a".utf8), Data("b".utf8)], gap: .seconds(3600)))
    let agent = RequestAgent(baseURL: server.baseURL)
    agent.maxRequestsPerOrigin = 0
    for index in 0..<100 {
      agent.start(.get(index % 2 == 0 ? "late" : "slow", as: String.self), on: .global()) { _ in
        print("an outcome came before the end")
      }
    }
    await server.waitForRequests(100)
    print("\(agent.liveCount) in flight")
    exit(0)
  }
}
