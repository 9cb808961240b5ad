public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Downloads and uploads of files that the system carries on while the app is suspended, and after it was ended.
///
/// ```swift
/// let transfers = try BackgroundTransfers(identifier: "com.example.movies", agent: agent)
/// Task {
///   for await event in transfers.events { show(event) }
/// }
/// try await transfers.download(GetMovie(id: 7), to: place)
/// ```
///
/// Apple platforms have background sessions; elsewhere the initializer throws. The system sends what the agent would send first, after
/// every hook and the authenticator, which fetches or renews credentials as for any request; then the app may be gone. So it follows
/// redirects itself, with all fields of the request, tries again itself, and knows no timeout and no deadline. What would have judged
/// the answer is not there: a status of 200 to 299 counts as success, and no validator, no retry policy, no accessory and no hook is
/// asked any more. Nor is an authenticator: use credentials that live as long as the transfer.
///
/// Make one with the same identifier at every launch, and read ``events``: what ended meanwhile is told then. Where the system
/// launches the app for it, hand its completion handler to ``finishEvents(_:)``.
public final class BackgroundTransfers: Sendable {
  /// One transfer, told from others by its ``id``, in every launch of the app.
  ///
  /// The system keeps it with the task, so that nothing else has to be stored. Encoded, files in the app's home directory are told from
  /// there: on iOS it is another one after an update.
  public struct Transfer: Codable, Sendable, Hashable, Identifiable {
    /// 128 random bits, in hexadecimal digits.
    public let id: String
    /// The name of the type of the request.
    public let request: String
    /// Where the file is to be; `nil` of an upload.
    public let destination: URL?
    /// The file that is sent; `nil` of a download.
    public let source: URL?
  }

  /// What has become of a transfer.
  public enum Event: Sendable {
    /// Bytes of the file that have been sent or received, of so many; `nil` where the number is not known.
    case progressed(Transfer, bytes: Int64, of: Int64?)
    /// A download is in place: where it is, and the head of the response.
    case downloaded(Transfer, DownloadedFile, HTTPResponse)
    /// An upload was taken: the response, its body cut after ``RequestError/bodyLimit``.
    case uploaded(Transfer, HTTPResponse)
    /// It failed, was refused or was cancelled; nothing was put in place.
    case failed(Transfer, RequestError)
  }

  /// What happens to the transfers, from the beginning; for one reader, that may begin late.
  ///
  /// It ends with the object.
  public let events: AsyncStream<Event>

  private let agent: RequestAgent
  private let desk: BackgroundDesk
  private let session: any BackgroundSession

  /// Makes the transfers of an identifier, which no other object of the app may have at the same time.
  ///
  /// - Throws: a ``RequestError`` of kind ``RequestError/Kind/unsupported`` where the system has no background sessions.
  public convenience init(identifier: String, agent: RequestAgent) throws {
    let desk = BackgroundDesk()
    self.init(try BackgroundSessions.make(identifier, desk: desk), desk: desk, agent: agent)
  }

  init(_ session: any BackgroundSession, desk: BackgroundDesk, agent: RequestAgent) {
    self.session = session
    self.desk = desk
    self.agent = agent
    events = desk.events
  }

  deinit { desk.finish() }

  /// Hands a download to the system, which puts the file where the request says.
  ///
  /// The system goes on by itself with what broke off, whatever ``DownloadRequest/resumes`` says.
  ///
  /// - Throws: as ``download(_:to:)``, which also refuses a ``DownloadRequest/checksum``.
  @discardableResult
  public func download<R: DownloadRequest>(_ request: R) async throws -> Transfer {
    try await download(request, to: request.destination)
  }

  /// Hands a download to the system.
  ///
  /// - Parameters:
  ///   - request: what is asked for; with a body in memory or none.
  ///   - destination: as in ``ResponseSerializer/file(to:resumes:checksum:)``.
  /// - Throws: a ``RequestError`` where the request cannot be built, has a body that is a stream or a file, or is a ``DownloadRequest`` with a
  ///   checksum, which nobody would compare.
  @discardableResult
  public func download<R: Request>(_ request: R, to destination: URL) async throws -> Transfer {
    let sent = try await agent.explain(request, isSent: true).request
    _ = try stated(sent) { try DownloadTarget(destination) }
    guard (request as? any DownloadRequest)?.checksum == nil else {
      throw refused("a download in the background compares no checksum", of: sent)
    }
    if !sent.trailers.isEmpty { throw refused("a transfer in the background sends no trailers", of: sent) }
    guard var message = URLRequest(sent) else {
      throw refused("a download in the background has a body in memory or none", of: sent)
    }
    message.restrict(to: request.networkAccess)
    let transfer = Transfer(
      id: SystemRandom.digits(), request: "\(R.self)", destination: destination, source: nil)
    session.download(message, note: transfer.note)
    return transfer
  }

  /// Hands an upload of a file to the system, which reads it while it is sent: leave it as it is until then.
  ///
  /// - Parameters:
  ///   - file: the body; its type is the request's `Content-Type`, or else what its name says.
  ///   - request: where it is sent; without a body of its own.
  /// - Throws: a ``RequestError`` where the request cannot be built, or where there is no such file.
  @discardableResult
  public func upload<R: Request>(_ file: URL, to request: R) async throws -> Transfer {
    let sent = try await agent.explain(request, isSent: true).request
    if !sent.trailers.isEmpty { throw refused("a transfer in the background sends no trailers", of: sent) }
    guard sent.body.isEmpty, var message = URLRequest(sent) else {
      throw refused("an upload in the background has no body but the file", of: sent)
    }
    var isDirectory: ObjCBool = false
    guard file.isFileURL, FileManager.default.fileExists(atPath: file.path, isDirectory: &isDirectory),
      !isDirectory.boolValue
    else { throw refused("there is no file \(file.path)", of: sent, kind: .encoding) }
    if message.value(forHTTPHeaderField: "Content-Type") == nil {
      message.setValue(
        MIMEType(fileExtension: file.pathExtension).rawValue, forHTTPHeaderField: "Content-Type")
    }
    message.restrict(to: request.networkAccess)
    let transfer = Transfer(id: SystemRandom.digits(), request: "\(R.self)", destination: nil, source: file)
    session.upload(message, from: file, note: transfer.note)
    return transfer
  }

  /// Ends a transfer, which is told as ``Event/failed(_:_:)``; does nothing when it has ended.
  public func cancel(_ transfer: Transfer) async { await session.cancel { Transfer(note: $0) == transfer } }

  /// The transfers that have not ended, those of earlier launches among them.
  public var running: [Transfer] {
    get async { await session.notes().compactMap { Transfer(note: $0) } }
  }

  /// Takes the handler that the system gives with `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
  ///
  /// It is called once, on the main actor, when everything that has ended is in ``events``; read them at once, as the app may be
  /// suspended then.
  @MainActor
  public func finishEvents(_ completionHandler: @escaping () -> Void) {
    desk.take { completionHandler() }
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

  /// Encodes it; files in the home directory by their paths below it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(request, forKey: .request)
    try container.encodeIfPresent(destination.map { HomePath.text(of: $0) }, forKey: .destination)
    try container.encodeIfPresent(source.map { HomePath.text(of: $0) }, forKey: .source)
  }

  /// Decodes it, with the home directory that there is now.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try container.decode(String.self, forKey: .id),
      request: try container.decode(String.self, forKey: .request),
      destination: try container.decodeIfPresent(String.self, forKey: .destination).map { HomePath.url($0) },
      source: try container.decodeIfPresent(String.self, forKey: .source).map { HomePath.url($0) })
  }

  /// What a task of the system carries.
  var note: String {
    // Two URLs and two texts: there is nothing that cannot be encoded.
    (try? JSONEncoder().encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// `nil` of a note that is not ours.
  init?(note: String?) {
    guard let note, let transfer = try? JSONDecoder().decode(Self.self, from: Data(note.utf8)) else {
      return nil
    }
    self = transfer
  }
}
