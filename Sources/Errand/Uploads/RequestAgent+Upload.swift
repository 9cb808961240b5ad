extension RequestAgent {
  /// Uploads a body; an interrupted upload can continue later.
  ///
  /// ```swift
  /// let receipt = try await agent.upload(
  ///   .file(movie), to: .post("files"), by: .tus(), stateChanged: { await store.save($0) })
  /// ```
  ///
  /// To pause, cancel the task. To continue, pass the last state to `upload`. See <doc:UploadsAndDownloads>.
  ///
  /// - `request`: The request that starts the upload. Only Google's protocol allows a body in this request.
  /// - `state`: The state of an earlier upload of the same body; `nil` starts a new upload.
  /// - `maxFailures`: The maximum number of failed steps since the last progress; 10 by default. Also limits
  ///   how often the server may lose acknowledged bytes or the whole upload.
  /// - `progress`: Receives the progress, on any thread.
  /// - `stateChanged`: Receives the state of a new upload, and each state after a valid server status.
  /// - Throws: ``RequestError``; `CancellationError` if the task was cancelled.
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

  /// Asks the server to delete an upload; status 404 or 410 counts as deleted.
  public func cancelUpload<R: Request>(
    _ state: UploadProtocol.State, to request: R, by uploadProtocol: UploadProtocol
  ) async throws {
    try await UploadRun(agent: self, request: request, by: uploadProtocol.dialect, resuming: state).cancel()
  }
}
