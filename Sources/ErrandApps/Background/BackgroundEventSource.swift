import Errand
import Foundation

/// A background session of the system.
///
/// A note is an encoded ``BackgroundTransfers/Transfer``, stored with the task of the session.
protocol BackgroundSession: Sendable {
  func download(_ request: HTTPRequest, over access: NetworkAccess, note: String)
  func upload(_ request: HTTPRequest, from file: URL, over access: NetworkAccess, note: String)
  func cancel(_ fits: @escaping @Sendable (String) -> Bool) async
  func notes() async -> [String]
}

final class BackgroundEventSource: Sendable {
  private struct State {
    /// The results of moving downloaded files, by note.
    ///
    /// A result is removed at the end of the task.
    var files: [String: Placed] = [:]
    var bodies: [String: Data] = [:]
    var handlers: [@MainActor @Sendable () -> Void] = []
    /// True if the system reported all finished tasks before a handler was given.
    ///
    /// False again when a transfer starts or ends.
    var isDone = false
  }

  private struct Placed {
    let result: Result<DownloadedFile, RequestError>
    let head: HTTPResponse
  }

  let events: AsyncStream<BackgroundTransfers.Event>
  private let continuation: AsyncStream<BackgroundTransfers.Event>.Continuation
  private let state = Locked(State())

  init() { (events, continuation) = AsyncStream.makeStream() }

  func finish() { continuation.finish() }

  func willStartTransfer() { state.withLock { $0.isDone = false } }

  /// Calls the handler after the system has reported all finished tasks.
  func take(_ handler: @escaping @MainActor @Sendable () -> Void) {
    let isDone = state.withLock { state in
      defer { state.isDone = false }
      if !state.isDone { state.handlers.append(handler) }
      return state.isDone
    }
    if isDone { Task { @MainActor in handler() } }
  }

  func didFinishEvents() {
    let handlers = state.withLock { state in
      defer { state.handlers = [] }
      state.isDone = state.handlers.isEmpty
      return state.handlers
    }
    guard !handlers.isEmpty else { return }
    Task { @MainActor in
      for handler in handlers { handler() }
    }
  }

  func progressed(_ note: String?, bytes: Int64, of total: Int64) {
    guard let transfer = BackgroundTransfers.Transfer(note: note) else { return }
    continuation.yield(.progressed(transfer, bytes: bytes, of: total < 0 ? nil : total))
  }

  func received(_ data: Data, note: String?) {
    guard let note else { return }
    state.withLock { state in
      let room = RequestError.bodyLimit - (state.bodies[note]?.count ?? 0)
      state.bodies[note, default: Data()].append(data.prefix(max(room, 0)))
    }
  }

  /// Moves a downloaded file, because the system deletes the file after this call.
  ///
  /// If the status is not 200 to 299, keeps the beginning of the file as the response body instead.
  func downloaded(_ file: URL, note: String?, response: HTTPResponse?) {
    guard let note, let destination = BackgroundTransfers.Transfer(note: note)?.destination else { return }
    var head = response ?? Self.noResponse
    guard head.status.isSuccess else {
      let handle = try? FileHandle(forReadingFrom: file)
      let body = (try? handle?.read(upToCount: RequestError.bodyLimit)) ?? nil
      return state.withLock { $0.bodies[note] = body }
    }
    let place: Result<DownloadedFile, RequestError>
    do {
      place = .success(try Self.place(file, at: destination, head: head))
    } catch {
      place = .failure(
        RequestError(
          (error as? Refusal)?.kind ?? .file, (error as? Refusal)?.message ?? error.localizedDescription,
          stage: .decode, response: head, cause: error))
    }
    head.body = Data()
    let placed = Placed(result: place, head: head)
    state.withLock { $0.files[note] = placed }
  }

  /// Reports the end of a task.
  ///
  /// A download whose file is in place succeeds even if the task has an error.
  func completed(_ note: String?, response: HTTPResponse?, error: TransportError?) {
    guard let note, let transfer = BackgroundTransfers.Transfer(note: note) else { return }
    let (file, body) = state.withLock { state in
      state.isDone = false
      return (state.files.removeValue(forKey: note), state.bodies.removeValue(forKey: note))
    }
    var head = response ?? file?.head ?? Self.noResponse
    head.body = body ?? Data()
    continuation.yield(Self.event(of: transfer, head: head, file: file?.result, error: error))
  }

  private static func event(
    of transfer: BackgroundTransfers.Transfer, head: HTTPResponse,
    file: Result<DownloadedFile, RequestError>?, error: TransportError?
  ) -> BackgroundTransfers.Event {
    switch file {
    case .success(let file): return .downloaded(transfer, file, head)
    case .failure(let error): return .failed(transfer, error)
    case nil: break
    }
    if let error {
      return .failed(transfer, RequestError(error.kind, error.clause, stage: .transport, cause: error))
    }
    guard head.status.isSuccess else {
      let reason = "status \(head.status) is not 200 to 299"
      return .failed(transfer, RequestError(.status, reason, stage: .validate, response: head))
    }
    guard transfer.destination != nil else { return .uploaded(transfer, head) }
    return .failed(
      transfer, RequestError(.file, "the system provided no file", stage: .decode, response: head))
  }

  private static var noResponse: HTTPResponse { HTTPResponse(status: 0) }

  /// Moves a file to the destination.
  ///
  /// If `rename` fails between volumes (`EXDEV`), Foundation moves the file.
  private static func place(_ file: URL, at destination: URL, head: HTTPResponse) throws -> DownloadedFile {
    let target = try DownloadTarget(destination, head: head)
    try target.prepare()
    let temporary = target.directory.appendingPathComponent(".errand-\(SystemRandom.digits())")
    if rename(file.path, temporary.path) != 0 {
      guard errno == EXDEV else {
        throw DownloadTarget.failure("cannot be put in place", at: target.url, code: errno)
      }
      try FileManager.default.moveItem(at: file, to: temporary)
    }
    do {
      let size = try FileManager.default.attributesOfItem(atPath: temporary.path)[.size] as? NSNumber
      return DownloadedFile(url: try target.moveIntoPlace(temporary.path), size: size?.int64Value ?? 0)
    } catch {
      try? FileManager.default.removeItem(at: temporary)
      throw error
    }
  }
}
