/// Whether a redirect is followed.
public enum RedirectDecision: Sendable, Hashable {
  /// It is followed, unless the rules of ``RedirectPolicy`` refuse it.
  case follow
  /// It is not: the 3xx, with its body, goes to the validators.
  case stop
}
