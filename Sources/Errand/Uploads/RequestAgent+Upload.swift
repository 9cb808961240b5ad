extension RequestAgent {
  /// Uploads a body; an interrupted upload may continue later, even in a different process.
  ///
  /// ```swift
  /// let receipt = try await agent.upload(
  ///   .file(movie), to: .post("files"), by: .tus(), stateChanged: { await store.save($0) })
  /// ```
  ///
  /// The request starts the upload. Each step is a separate dispatch of the request. To pause, cancel the task. To continue, call `upload` with
  /// the last state. <doc:UploadsAndDownloads> has all rules.
  ///
  /// - Parameters:
  ///   - body: the body to upload.
  ///   - request: the request that starts the upload. Only Google's protocol also sends the request's own body.
  ///   - uploadProtocol: the upload protocol of the server.
  ///   - state: the state of an earlier upload of the same body; `nil`, the default, starts a new upload. A changed body is an error.
  ///   - maxFailures: the number of steps that may fail in a row without progress, and of losses of bytes by the server; 10 by default, about 17 minutes.
  ///   - progress: receives the progress, on any thread. ``TransferProgress/attempt`` increases when bytes are sent again.
  ///   - stateChanged: receives the state after the start of the upload, and when the server has reported its number of received bytes.
  /// - Throws: ``RequestError``; `CancellationError` if the calling task was cancelled. The server keeps the received bytes.
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

  /// Asks the server to delete an upload; an upload that the server no longer knows is not an error.
  ///
  /// - Parameters:
  ///   - state: The last state of the upload.
  ///   - request: The request that started the upload, for its headers, hooks and credentials.
  ///   - uploadProtocol: The protocol that started the upload.
  /// - Throws: ``RequestError``, of kind ``RequestError/Kind/status`` if the server refuses;
  ///   `CancellationError` if the calling task was cancelled.
  public func cancelUpload<R: Request>(
    _ state: UploadProtocol.State, to request: R, by uploadProtocol: UploadProtocol
  ) async throws {
    try await UploadRun(agent: self, request: request, by: uploadProtocol.dialect, resuming: state).cancel()
  }
}
