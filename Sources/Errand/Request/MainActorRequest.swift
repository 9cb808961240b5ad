/// A request whose `filter` and `completed` run on the main actor, with nothing to mark: for outcomes that change what a user
/// sees.
///
/// ```swift
/// struct GetUser: MainActorRequest {
///   typealias Response = User
///   let profile: Profile                  // a @MainActor class
///   let path = "user"
///   func completed(_ outcome: Outcome<User>, context: RequestContext) async {
///     profile.user = outcome.value
///   }
/// }
/// ```
///
/// Let a house protocol refine it for all requests of an app; in a module with MainActor default isolation one that is not
/// marked `nonisolated`, as its requests would take that over. Everything else is as in ``Request``; `preprocess` stays off
/// the main actor, for what takes time before. A dispatch waits for the main actor there, so that one that is busy holds it up.
public protocol MainActorRequest: Request {
  /// May replace the outcome, on the main actor; see ``Request/filter(_:context:)``.
  @MainActor func filter(_ outcome: Outcome<Response>, context: RequestContext) async -> Outcome<Response>

  /// Is told the outcome on the main actor, exactly once; see ``Request/completed(_:context:)``.
  @MainActor func completed(_ outcome: Outcome<Response>, context: RequestContext) async
}
