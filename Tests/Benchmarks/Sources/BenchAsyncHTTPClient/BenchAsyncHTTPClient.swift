import AsyncHTTPClient
import BenchSupport
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOPosix
import NIOSSL

@main
struct BenchAsyncHTTPClient {
  static func main() {
    let options = Options()
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let client = HTTPClient(eventLoopGroup: group, configuration: configuration(options))
    let decoder = JSONDecoder()
    let output = options.mode == .file ? FileHandle.overwriting(options.output) : nil
    measure(options) {
      var request = HTTPClientRequest(url: options.url)
      if isCompressed(options) { request.headers.add(name: "Accept-Encoding", value: "gzip") }
      var length = 0
      if options.mode == .upload {
        let file = try FileHandle(forReadingFrom: URL(filePath: options.output))
        length = Int(try file.seekToEnd())
        try file.seek(toOffset: 0)
        request.method = .PUT
        request.body = .stream(Pieces(file: file), length: .known(Int64(length)))
      }
      let response = try await client.execute(request, timeout: .seconds(60))
      try expectOK(Int(response.status.code))
      switch options.mode {
      case .data:
        return try await response.body.collect(upTo: 1 << 24).readableBytes
      case .decoded:
        try options.decode(await response.body.collect(upTo: 1 << 24), BufferDecoder(decoder: decoder))
        return 0
      case .upload:
        _ = try await response.body.collect(upTo: 1 << 24)
        return length
      case .form: fail("there are no forms here")
      case .file, .discard:
        return try await drain(response.body, into: output)
      }
    }
  }

  private static func drain(_ body: HTTPClientResponse.Body, into output: FileHandle?) async throws -> Int {
    var bytes = 0
    for try await chunk in body {
      bytes += chunk.readableBytes
      if let output {
        try chunk.withUnsafeReadableBytes { try output.write(contentsOf: Data($0)) }
      }
    }
    return bytes
  }

  private static func isCompressed(_ options: Options) -> Bool { options.path.hasPrefix("gzip/") }

  private static func configuration(_ options: Options) -> HTTPClient.Configuration {
    let isCompressed = isCompressed(options)
    var configuration = HTTPClient.Configuration(
      decompression: isCompressed ? .enabled(limit: .none) : .disabled)
    configuration.redirectConfiguration = .disallow
    // The timeout includes the wait for a connection. With thousands of requests, the first requests wait
    // long.
    configuration.timeout.connect = .seconds(60)
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(options.inFlight, 8)
    if let authority = options.authority {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.trustRoots = .file(authority)
      configuration.tlsConfiguration = tls
    } else {
      configuration.httpVersion = .http1Only
    }
    return configuration
  }
}

/// A file in pieces of 64 KiB.
struct Pieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
  let file: FileHandle

  func makeAsyncIterator() -> Pieces { self }

  mutating func next() async throws -> ByteBuffer? {
    try file.read(upToCount: 65_536).map { ByteBuffer(bytes: $0) }
  }
}

struct BufferDecoder: BodyDecoder {
  let decoder: JSONDecoder

  func decode<T: Decodable>(_ type: T.Type, from body: ByteBuffer) throws -> T {
    try decoder.decode(type, from: body)
  }
}
