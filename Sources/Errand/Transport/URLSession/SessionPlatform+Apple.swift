#if canImport(Darwin)
public import Foundation
import Security

/// What sessions do on Apple platforms; the other half is for Linux.
enum SessionPlatform {
  static let answersCancelledTasks = true
  static let streamsBodies = true
  static let capabilities = TransportCapabilities(
    contentCodings: ["gzip", "deflate", "br"], choosesNetworks: true,
    httpVersions: ["HTTP/1.1", "HTTP/2", "HTTP/3"],
    implementation: "URLSession/\(ProcessInfo.processInfo.operatingSystemVersionString)")

  /// By the user's handler; without one the system judges certificates, and other challenges end as the 401 or 407 that asked.
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

  /// Whom a credential tells of; `nil` for one that trusts a server.
  private static func identity(of credential: URLCredential) -> String? {
    if let user = credential.user { return "user \(user)" }
    guard let identity = credential.identity else { return nil }
    var certificate: SecCertificate?
    guard SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess, let certificate else {
      // Nothing is found under it.
      return SystemRandom.digits()
    }
    return "certificate \(CacheKey.digest([SecCertificateCopyData(certificate) as Data]))"
  }

  /// Gives what it does not do.
  static func apply(_ settings: ConnectionSettings, to configuration: URLSessionConfiguration) -> String? {
    if settings.proxies == .none { configuration.connectionProxyDictionary = [:] }
    configuration.tlsMinimumSupportedProtocolVersion =
      settings.tls.minimumVersion == .tls13 ? .TLSv13 : .TLSv12
    return nil
  }

  static func restrict(_ message: inout URLRequest, to access: NetworkAccess) {
    message.allowsExpensiveNetworkAccess = access.contains(.expensive)
    message.allowsConstrainedNetworkAccess = access.contains(.constrained)
  }

  static func rest(_ task: URLSessionTask) { task.suspend() }

  static func goOn(_ task: URLSessionTask) { task.resume() }
}

extension URLSessionTransport {
  /// Makes a transport with a session of its own, and a say in its challenges: of trust, for a certificate of a client's, for a proxy.
  ///
  /// - Parameters:
  ///   - configuration: as in ``init(configuration:)``.
  ///   - onChallenge: what to answer; called in a task of its own, for each challenge. Answer `.performDefaultHandling` to what is not
  ///     yours.
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

/// A pair of streams of which one is written for the session to read the other.
final class BoundStreams: NSObject, BodySink, StreamDelegate {
  let input: InputStream?
  // Guard of all: the queue, on which the delegate is called too.
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

  // On the queue, where its owner releases it: what the stream has still to tell would be told to nobody.
  deinit {
    guard let output else { return }
    output.delegate = nil
    CFWriteStreamSetDispatchQueue(output, nil)
    output.close()
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws -> Int {
    guard let output, output.hasSpaceAvailable, let base = bytes.bindMemory(to: UInt8.self).baseAddress
    else { return 0 }
    // Less than none where the session reads no more, as it has its answer.
    return max(output.write(base, maxLength: bytes.count), 0)
  }

  func finish() { output?.close() }

  func stream(_ stream: Stream, handle event: Stream.Event) {
    if event == .hasSpaceAvailable { hasRoom() }
  }
}
#endif
