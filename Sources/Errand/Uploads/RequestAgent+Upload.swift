extension RequestAgent {
  /// Uploads a body that may be interrupted anywhere and gone on with, also by another process.
  ///
  /// ```swift
  /// let receipt = try await agent.upload(
  ///   .file(movie), to: .post("files"), by: .tus(), stateChanged: { await store.save($0) })
  /// ```
  ///
  /// The request begins the upload. Each step is a dispatch of its own, with the request's hooks, credentials, accessories, time and
  /// limits; after a failure that may pass the server is asked how many bytes it has. <doc:UploadsAndDownloads> has all the rules. To
  /// pause, cancel the task; to go on, give the last state.
  ///
  /// - Parameters:
  ///   - body: what is uploaded.
  ///   - request: begins the upload. Its own body is sent by Google's protocol; by others it is an error of kind
  ///     ``RequestError/Kind/invalidRequest``.
  ///   - uploadProtocol: how the server takes it.
  ///   - state: of an upload of the same body that was begun before; `nil`, the default, begins one. A file that has changed since, and a
  ///     body of another length, are errors of kind ``RequestError/Kind/encoding``.
  ///   - maxFailures: how many steps may fail in a row without progress, and how often the server may lose bytes; 10 by default, in about
  ///     17 minutes.
  ///   - progress: told how far it is, on any thread; ``TransferProgress/attempt`` grows where bytes are sent again.
  ///   - stateChanged: told when the upload was begun, and after each chunk, before the next is sent.
  /// - Throws: ``RequestError``; `CancellationError` when the calling task was cancelled. The server keeps what it has.
  public func upload<R: Request>(
    _ body: RequestBody, to request: R, by uploadProtocol: UploadProtocol,
    resuming state: UploadProtocol.State? = nil, maxFailures: Int = 10,
    progress: (@Sendable (TransferProgress) -> Void)? = nil,
    stateChanged: (@Sendable (UploadProtocol.State) async -> Void)? = nil
  ) async throws -> UploadProtocol.Receipt {
    try await UploadRun(
      agent: self, request: request, by: uploadProtocol.dialect, resuming: state, maxFailures: maxFailures,
      progress: progress, stateChanged: stateChanged
    ).upload(body)
  }

  /// Lets the server give an upload up; one that it does not know any more is no error.
  ///
  /// - Parameters:
  ///   - state: as the upload has left it.
  ///   - request: the one that began it, for its headers, hooks and credentials.
  ///   - uploadProtocol: the one that it was begun by.
  /// - Throws: ``RequestError``, of kind ``RequestError/Kind/status`` where the server refuses; `CancellationError` when the calling task
  ///   was cancelled.
  public func cancelUpload<R: Request>(
    _ state: UploadProtocol.State, to request: R, by uploadProtocol: UploadProtocol
  ) async throws {
    try await UploadRun(agent: self, request: request, by: uploadProtocol.dialect, resuming: state).cancel()
  }
}
