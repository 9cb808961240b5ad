/// What an authenticator threw.
struct AuthenticationFailure: Error {
  /// What it was about, as the beginning of a clause: `the credentials could not be renewed:`; empty where the cause says all.
  let subject: String
  let cause: any Error

  /// Of whatever was thrown; a failure that says more already stays as it is.
  init(_ authenticator: any Authenticator, threw cause: any Error) {
    if let failure = cause as? AuthenticationFailure {
      self = failure
    } else {
      self.init(subject: cause is Refusal ? "" : "\(type(of: authenticator)) threw ", cause: cause)
    }
  }

  init(subject: String, cause: any Error) {
    self.subject = subject
    self.cause = cause
  }
}
