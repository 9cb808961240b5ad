/// A time limit of ``TransferLimits`` that counts until something has happened.
enum TimeLimit: String, Codable, Sendable {
  /// ``TransferLimits/connectTimeout``: until the connection stands.
  case connect
  /// ``TransferLimits/firstByteTimeout``: until the first byte of the response.
  case firstByte

  /// What did not happen in time, as a clause.
  var clause: String {
    switch self {
    case .connect: "no connection stood"
    case .firstByte: "no byte of the response came"
    }
  }
}
