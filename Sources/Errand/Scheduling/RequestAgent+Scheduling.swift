extension RequestAgent {
  /// How many attempts may run at once for one origin; 0 for any number.
  ///
  /// It begins as ``Configuration/maxRequestsPerOrigin`` says, and may be changed at any time, from any thread. Raised, it
  /// starts as many of those that wait as may run now; lowered, it ends nothing, and lets fewer start.
  public var maxRequestsPerOrigin: Int {
    get { slots.limit }
    set { slots.limit = newValue }
  }

  /// The number of attempts that have a slot: from before they are sent until the last byte of their body has come or is not
  /// wanted any more, a stream's until its head is accepted.
  public var runningCount: Int { slots.load.running }

  /// The number of dispatches that wait: for a slot of their origin, or for their turn among the serial ones.
  public var waitingCount: Int { slots.load.waiting + turns.load.waiting }

  /// Closes the idle connections of the transport, and sends what comes from now on over new ones; what runs ends over its
  /// own.
  ///
  /// For a network that changed, or a user who logged out. It does nothing with a transport that has no connections, or
  /// does not implement ``Transport/resetConnections()``.
  public func resetConnections() { transport.resetConnections() }
}
