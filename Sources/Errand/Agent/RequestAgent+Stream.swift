extension RequestAgent {
  /// Dispatches a request and returns when its head is there and accepted; the body follows, chunk by chunk, as it is
  /// read.
  ///
  /// ```swift
  /// let response = try await agent.stream(.get("export.csv"))
  /// for try await chunk in response.body { try file.write(contentsOf: chunk) }
  /// ```
  ///
  /// Everything up to the head is as with ``send(_:)``: hooks, redirects, limits, and the retry of an attempt whose head
  /// failed or was refused. Validators judge the head only, and `filterResponse` gets it without a body; a body it adds
  /// is not used. The body is not decoded, and its failure is not retried, as bytes have been seen.
  ///
  /// Nothing is received faster than it is read, but for a buffer of about a megabyte, and ``Request/timeout`` rests
  /// while the reader does. ``Request/deadline`` and ``TransferLimits`` hold for the body too,
  /// ``TransferLimits/bodySize`` among them where you set it.
  ///
  /// The dispatch is in flight until the body has been read to its end, has failed, or was given up: by a `break`, by
  /// dropping the response, or by a cancellation, all of which end the transfer at once as cancelled. Then, once,
  /// `preprocess`, `filter`, `completed` and the accessories run: before the last `next()` of the body returns or
  /// throws, or in a task of their own where nobody waits in it.
  ///
  /// The agent's hooks get the head, with its trailers, as the value of a success; so does the request's own
  /// ``Request/streamed(_:context:)``, which is told of every stream exactly once. The request's other hooks of the outcome get
  /// it where ``Request/Response`` is ``HTTPResponse``, and nothing where it is `Void`; for any other type there is no value, as
  /// nothing is decoded, and they run for failures and cancellations only.
  ///
  /// - Throws: ``RequestError``; `CancellationError` when the calling task was cancelled. The body throws the same.
  public func stream<R: Request>(_ request: R) async throws -> StreamedResponse {
    let entry = inFlight.enter()
    return try await withTaskCancellationHandler {
      try await Dispatch(request, agent: self, entry: entry).stream()
    } onCancel: {
      entry.signal.cancel(by: .task)
    }
  }
}
