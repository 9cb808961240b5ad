/// What a hook threw in a stage that is not its own.
struct HookFailure: Error {
  let hook: String
  let cause: any Error
}
