public import Errand
public import Foundation

/// Downloads and uploads that continue while the app is suspended, or after the system has terminated the
/// app.
///
/// ```swift
/// let transfers = try BackgroundTransfers(identifier: "com.example.movies", agent: agent)
/// Task {
///   for await event in transfers.events { show(event) }
/// }
/// try await transfers.download(GetMovie(id: 7), to: place)
/// ```
///
/// Background sessions exist only on Apple platforms.
///
/// The system follows redirects, and may send credentials to another origin. Errand's timeouts, validators
/// and retry policies do not apply. A status of 200 to 299 counts as success.
///
/// Create an object with the same identifier at every launch, and read ``events``. If the system launches the
/// app for a session, call ``finishEvents(_:)``.
public final class BackgroundTransfers: Sendable {
  /// A transfer, with the same ``id`` in every launch of the app.
  public struct Transfer: Codable, Sendable, Hashable, Identifiable {
    /// The identifier: 128 random bits in hexadecimal digits.
    public let id: String
    /// The name of the type of the request.
    public let request: String
    /// The destination of a download; `nil` for an upload.
    public let destination: URL?
    /// The file of an upload; `nil` for a download.
    public let source: URL?
  }

  /// An event of a transfer.
  public enum Event: Sendable {
    /// The number of bytes transferred so far, and the total; `nil` for an unknown total.
    case progressed(Transfer, bytes: Int64, of: Int64?)
    /// A download finished, with the file and the head of the response.
    case downloaded(Transfer, DownloadedFile, HTTPResponse)
    /// An upload finished, with at most ``/Errand/RequestError/bodyLimit`` bytes of the response's body.
    case uploaded(Transfer, HTTPResponse)
    /// The transfer failed or was cancelled, or the status was not 200 to 299.
    case failed(Transfer, RequestError)
  }

  /// The events of all transfers, for a single reader.
  ///
  /// Events are buffered until the reader reads them.
  public let events: AsyncStream<Event>

  private let agent: RequestAgent
  private let eventSource: BackgroundEventSource
  private let session: any BackgroundSession

  /// Creates background transfers for an identifier.
  ///
  /// Use an identifier for a single object at a time.
  ///
  /// - Throws: a ``/Errand/RequestError`` on a system without background sessions.
  public convenience init(identifier: String, agent: RequestAgent) throws {
    let eventSource = BackgroundEventSource()
    self.init(
      try BackgroundSessions.make(identifier, eventSource: eventSource), eventSource: eventSource,
      agent: agent)
  }

  init(_ session: any BackgroundSession, eventSource: BackgroundEventSource, agent: RequestAgent) {
    self.session = session
    self.eventSource = eventSource
    self.agent = agent
    events = eventSource.events
  }

  deinit { eventSource.finish() }

  /// Starts a download to the destination of the request.
  ///
  /// A request with a ``/Errand/DownloadRequest/checksum`` is refused.
  @discardableResult
  public func download<R: DownloadRequest>(_ request: R) async throws -> Transfer {
    try await download(request, to: request.destination)
  }

  /// Starts a download to `destination`.
  ///
  /// The request must have no body, or a body in memory.
  ///
  /// - Throws: a ``/Errand/RequestError`` or `CancellationError`.
  @discardableResult
  public func download<R: Request>(_ request: R, to destination: URL) async throws -> Transfer {
    let sent = try await agent.explain(request, isSent: true).request
    _ = try stated(sent) { try DownloadTarget(destination) }
    guard !DownloadedFile.isVerified(by: request) else {
      throw refused("a background download cannot verify a checksum", of: sent)
    }
    if !sent.trailers.isEmpty { throw refused("a background transfer cannot send trailers", of: sent) }
    guard sent.body.isInMemory else {
      throw refused("a background download supports only a body in memory", of: sent)
    }
    let transfer = Transfer(
      id: SystemRandom.digits(), request: "\(R.self)", destination: destination, source: nil)
    eventSource.willStartTransfer()
    session.download(sent, over: request.networkAccess, note: transfer.note)
    return transfer
  }

  /// Starts an upload of a file.
  ///
  /// The file must not change until the upload has ended. The request must have no body. Without a
  /// `Content-Type`, the media type follows from the file extension.
  ///
  /// - Throws: a ``/Errand/RequestError`` or `CancellationError`.
  @discardableResult
  public func upload<R: Request>(_ file: URL, to request: R) async throws -> Transfer {
    var sent = try await agent.explain(request, isSent: true).request
    if !sent.trailers.isEmpty { throw refused("a background transfer cannot send trailers", of: sent) }
    guard sent.body.isEmpty else {
      throw refused("the request of a background upload cannot have a body besides the file", of: sent)
    }
    var isDirectory: ObjCBool = false
    guard file.isFileURL, FileManager.default.fileExists(atPath: file.path, isDirectory: &isDirectory),
      !isDirectory.boolValue
    else { throw refused("there is no file \(file.path)", of: sent, kind: .encoding) }
    if sent.body.contentType == nil, !sent.headers.contains("Content-Type") {
      sent.headers["Content-Type"] = MIMEType(fileExtension: file.pathExtension).rawValue
    }
    let transfer = Transfer(id: SystemRandom.digits(), request: "\(R.self)", destination: nil, source: file)
    eventSource.willStartTransfer()
    session.upload(sent, from: file, over: request.networkAccess, note: transfer.note)
    return transfer
  }

  /// Cancels the transfer with the same ``Transfer/id``.
  ///
  /// Without effect on a finished transfer.
  public func cancel(_ transfer: Transfer) async {
    await session.cancel { [id = transfer.id] in Transfer(note: $0)?.id == id }
  }

  /// The unfinished transfers, including transfers from earlier launches.
  public var running: [Transfer] {
    get async { await session.notes().compactMap { Transfer(note: $0) } }
  }

  /// Accepts the handler of `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
  ///
  /// The handler is called after all finished transfers are in ``events``. The system may then suspend the
  /// app.
  @MainActor
  public func finishEvents(_ completionHandler: @escaping () -> Void) {
    eventSource.take { completionHandler() }
  }

  private func stated<Value>(_ sent: HTTPRequest, body: () throws -> Value) throws -> Value {
    do { return try body() } catch let refusal as Refusal {
      throw refused(refusal.message, of: sent, kind: refusal.kind)
    }
  }

  private func refused(
    _ reason: String, of sent: HTTPRequest, kind: RequestError.Kind = .unsupported
  ) -> RequestError {
    RequestError(kind, reason, stage: .build, request: sent, redaction: agent.configuration.redaction)
  }
}

extension BackgroundTransfers.Transfer {
  private enum CodingKeys: CodingKey {
    case id, request, destination, source
  }

  /// Encodes the transfer.
  ///
  /// The home directory is written as `~/`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(request, forKey: .request)
    try container.encodeIfPresent(destination.map { HomePath.text(of: $0) }, forKey: .destination)
    try container.encodeIfPresent(source.map { HomePath.text(of: $0) }, forKey: .source)
  }

  /// Decodes the transfer.
  ///
  /// `~/` stands for the current home directory.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try container.decode(String.self, forKey: .id),
      request: try container.decode(String.self, forKey: .request),
      destination: try container.decodeIfPresent(String.self, forKey: .destination).map { HomePath.url($0) },
      source: try container.decodeIfPresent(String.self, forKey: .source).map { HomePath.url($0) })
  }

  var note: String {
    (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  init?(note: String?) {
    guard let note, let transfer = try? JSONDecoder().decode(Self.self, from: Data(note.utf8)) else {
      return nil
    }
    self = transfer
  }
}
