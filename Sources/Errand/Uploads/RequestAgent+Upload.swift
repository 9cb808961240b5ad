extension RequestAgent {
  /// Uploads a body; an interrupted upload may continue later, even in a different process.
  ///
  /// ```swift
  /// let receipt = try await agent.upload(
  ///   .file(movie), to: .post("files"), by: .tus(), stateChanged: { await store.save($0) })
  /// ```
  ///
  /// Each step is a separate dispatch of the request. To pause, cancel the task. To continue, call `upload`
  /// with the last state. <doc:UploadsAndDownloads> has all rules.
  ///
  /// - Parameters:
  ///   - body: the body to upload.
  ///   - request: the request that starts the upload. Only for Google's protocol may the request have a body.
  ///   - uploadProtocol: the upload protocol of the server.
  ///   - state: the state of an earlier upload; `nil` by default: a new upload. A changed body is an error.
  ///   - maxFailures: the limit of failed steps in a row, and of losses of acknowledged bytes; 10 by default.
  ///   - progress: receives the progress, on any thread; failures increase ``TransferProgress/attempt``.
  ///   - stateChanged: receives the state after the start, and after each server report of received bytes.
  /// - Throws: ``RequestError``; `CancellationError` if the task was cancelled. The upload can continue later.
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
