#if canImport(Darwin)
public import Foundation
import Security

enum SessionPlatform {
  static let mayCompleteCancelledTasks = true
  static let streamsBodies = true
  static let capabilities = TransportCapabilities(
    contentCodings: ["gzip", "deflate", "br"], choosesNetworks: true,
    httpVersions: ["HTTP/1.1", "HTTP/2", "HTTP/3"],
    implementation: "URLSession/\(ProcessInfo.processInfo.operatingSystemVersionString)")

  static func answer(
    _ challenge: URLAuthenticationChallenge, with handler: SessionChallengeHandler?,
    noting clients: ShownClients,
    completion: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard let handler else { return completion(.performDefaultHandling, nil) }
    Task {
      let (disposition, credential) = await handler(challenge)
      if disposition == .useCredential, let identity = credential.flatMap(identity) {
        let space = challenge.protectionSpace
        let place =
          space.isProxy() ? ShownClients.proxy : ShownClients.place(host: space.host, port: space.port)
        clients.record(identity, at: place)
      }
      completion(disposition, credential)
    }
  }

  /// Returns a text for the identity; `nil` for a credential of server trust.
  private static func identity(of credential: URLCredential) -> String? {
    if let user = credential.user { return "user \(user)" }
    guard let identity = credential.identity else { return nil }
    var certificate: SecCertificate?
    guard SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess, let certificate else {
      // A random text matches no cache entry.
      return SystemRandom.digits()
    }
    return "certificate \(CacheKey.digest([SecCertificateCopyData(certificate) as Data]))"
  }

  static func apply(_ settings: ConnectionSettings, to configuration: URLSessionConfiguration) -> String? {
    if settings.proxies == .none { configuration.connectionProxyDictionary = [:] }
    let needsTLS13 =
      settings.tls.minimumVersion == .tls13 || configuration.tlsMinimumSupportedProtocolVersion == .TLSv13
    configuration.tlsMinimumSupportedProtocolVersion = needsTLS13 ? .TLSv13 : .TLSv12
    return nil
  }

  static func assumeHTTP3(_ message: inout URLRequest) { message.assumesHTTP3Capable = true }

  static func restrict(_ message: inout URLRequest, to access: NetworkAccess) {
    message.allowsExpensiveNetworkAccess = access.contains(.expensive)
    message.allowsConstrainedNetworkAccess = access.contains(.constrained)
  }

  static func pause(_ task: URLSessionTask) { task.suspend() }

  static func resume(_ task: URLSessionTask) { task.resume() }
}

extension URLSessionTransport {
  /// Creates a transport with its own session and a handler for challenges.
  ///
  /// - Parameters:
  ///   - configuration: the session's settings; `.ephemeral` by default. The transport overrides some
  ///     settings, such as timeouts.
  ///   - onChallenge: returns the response to a challenge, or `.performDefaultHandling`.
  public convenience init(
    configuration: URLSessionConfiguration = .ephemeral,
    onChallenge:
      @escaping @Sendable (URLAuthenticationChallenge) async -> (
        URLSession.AuthChallengeDisposition, URLCredential?
      )
  ) {
    self.init(configuration, onChallenge: onChallenge)
  }
}

extension SessionDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    completionHandler(exchange(of: task)?.supplyBody { BoundStreams(queue: $0, hasRoom: $1) }?.input)
  }

  func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
    exchange(of: task)?.waitForConnectivity()
  }
}

/// A pair of bound streams.
///
/// The writer fills the output, and the session reads the input.
final class BoundStreams: NSObject, BodySink, StreamDelegate {
  let input: InputStream?
  // Guarded by the queue, which also calls the delegate.
  private let output: OutputStream?
  private let hasRoom: () -> Void

  init(queue: DispatchQueue, hasRoom: @escaping () -> Void) {
    var (input, output): (InputStream?, OutputStream?) = (nil, nil)
    Stream.getBoundStreams(withBufferSize: 1 << 17, inputStream: &input, outputStream: &output)
    (self.input, self.output) = (input, output)
    self.hasRoom = hasRoom
    super.init()
    guard let output else { return }
    output.delegate = self
    CFWriteStreamSetDispatchQueue(output, queue)
    output.open()
  }

  // Without the removal of the delegate and the queue, a later event would reach the released object.
  deinit {
    guard let output else { return }
    output.delegate = nil
    CFWriteStreamSetDispatchQueue(output, nil)
    output.close()
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws -> Int {
    guard let output, output.hasSpaceAvailable, let base = bytes.bindMemory(to: UInt8.self).baseAddress
    else { return 0 }
    // `write` returns a negative number after an error.
    return max(output.write(base, maxLength: bytes.count), 0)
  }

  func finish() { output?.close() }

  func stream(_ stream: Stream, handle event: Stream.Event) {
    if event == .hasSpaceAvailable { hasRoom() }
  }
}
#endif
