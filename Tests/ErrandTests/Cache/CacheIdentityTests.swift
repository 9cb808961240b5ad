#if os(Linux)
import Foundation
import Testing

@testable import Errand

@Suite(
  "The client identity of a transport, and caching", .enabled(if: OpenSSL.system != nil),
  .timeLimit(.minutes(5)))
struct CacheIdentityTests {
  private static func server() throws -> RawServer {
    let count = Locked(0)
    return try RawServer.secure(offering: .init(asksForClient: true)) { connection in
      while connection.readRequest() != nil {
        let number = count.withLock { count in
          count += 1
          return count
        }
        connection.send(
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nCache-Control: private, max-age=36000\r\n\r\n\(number)")
      }
    }
  }

  private static func agent(_ server: RawServer, _ cache: ResponseCache, _ file: URL) throws
    -> RequestAgent
  {
    var settings = ConnectionSettings()
    settings.tls.certificateAuthorities = TLSIdentity.certificate
    settings.tls.clientCertificates = ["127.0.0.1": .pem(file, key: TLSIdentity.key)]
    var configuration = AgentConfiguration()
    configuration.cache = cache
    return RequestAgent(
      baseURL: server.url(), transport: try CurlTransport(settings), configuration: configuration)
  }

  private static func get(_ agent: RequestAgent) async throws -> String {
    try await agent.send(.get("me", as: String.self))
  }

  /// With a different first line.
  private static func certificate(of name: String, in folder: CacheStoreTests.Folder) throws -> URL {
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    let file = folder.url.appending(path: "\(name).pem")
    try (Data("\(name)\n".utf8) + Data(contentsOf: TLSIdentity.certificate)).write(to: file)
    return file
  }

  @Test("Two client certificates share no entry, in memory or on disk")
  func certificates() async throws {
    let (folder, files) = (CacheStoreTests.Folder(), CacheStoreTests.Folder())
    let (ann, bob) = (
      try Self.certificate(of: "ann", in: files), try Self.certificate(of: "bob", in: files)
    )
    let memory = MemoryCache()
    for make in [{ memory }, { try DiskCache(directory: folder.url) }] as [() throws -> ResponseCache] {
      let server = try Self.server()
      #expect(try await Self.get(Self.agent(server, make(), ann)) == "1")
      #expect(try await Self.get(Self.agent(server, make(), bob)) == "2")
      #expect(try await Self.get(Self.agent(server, make(), ann)) == "1")
      #expect(server.requests.count == 2)
    }
    withExtendedLifetime(files) {}
  }

  @Test("A replaced certificate file is another client, with its own connections")
  func replaced() async throws {
    let files = CacheStoreTests.Folder()
    let server = try Self.server()
    let file = try Self.certificate(of: "ann", in: files)
    let agent = try Self.agent(server, MemoryCache(), file)
    #expect(try await [Self.get(agent), Self.get(agent)] == ["1", "1"])
    let bob = try Self.certificate(of: "bob", in: files)
    #expect(rename(bob.path, file.path) == 0)
    #expect(try await [Self.get(agent), Self.get(agent)] == ["2", "2"])
    #expect(server.connectionCount == 2)
    withExtendedLifetime(files) {}
  }
}
#endif
