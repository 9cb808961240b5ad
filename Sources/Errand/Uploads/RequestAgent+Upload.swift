extension RequestAgent {
  /// Uploads a body; an interrupted upload may continue later, even in a different process.
  ///
  /// ```swift
  /// let receipt = try await agent.upload(
  ///   .file(movie), to: .post("files"), by: .tus(), stateChanged: { await store.save($0) })
  /// ```
  ///
  /// To pause, cancel the task. To continue, call `upload` with the last state. See <doc:UploadsAndDownloads>.
  ///
  /// - Parameters:
  ///   - body: the body to upload.
  ///   - request: the request that starts the upload; may have a body only with Google's protocol.
  ///   - uploadProtocol: the upload protocol of the server.
  ///   - state: the state of an earlier upload of the same body; `nil`, the default, starts a new upload.
  ///   - maxFailures: the maximum number of failed steps since the last progress; 10 by default.
  ///   - progress: receives the progress, on any thread. A failure increases ``TransferProgress/attempt``.
  ///   - stateChanged: receives the state when the upload has started, and after each response with a valid
  ///     status of the upload.
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

  /// Asks the server to delete an upload; also succeeds if the server does not know the upload.
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
