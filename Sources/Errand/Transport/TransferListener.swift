/// The receivers of the events of a transfer.
final class TransferListener: Sendable {
  let informational: (@Sendable (HTTPResponse) -> Void)?
  let connection: (@Sendable (TransportSummary.ConnectionStep, Duration) -> Void)?

  init(
    informational: (@Sendable (HTTPResponse) -> Void)?,
    connection: (@Sendable (TransportSummary.ConnectionStep, Duration) -> Void)?
  ) {
    self.informational = informational
    self.connection = connection
  }
}
