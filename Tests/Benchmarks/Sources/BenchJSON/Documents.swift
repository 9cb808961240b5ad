import Foundation

/// Writes random documents with made-up values.
struct Documents {
  private static let words =
    """
    lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et dolore magna aliqua
    """.split(separator: " ").map(String.init)

  private var random: SplitMix

  init(seed: UInt64) { random = SplitMix(seed: seed) }

  mutating func list(_ count: Int, _ element: (inout Documents, Int) -> String) -> String {
    var elements: [String] = []
    for number in 0..<count { elements.append(element(&self, number)) }
    return "[\(elements.joined(separator: ","))]"
  }

  /// Returns a number of one of three kinds: with all digits, with six decimals, or very large or small.
  mutating func number() -> String {
    switch Int.random(in: 0..<3, using: &random) {
    case 0: "\(Double.random(in: -1000...1000, using: &random))"
    case 1: degrees(180)
    default:
      "\(Double.random(in: 0...1, using: &random) * pow(10, Double(Int.random(in: -20...20, using: &random))))"
    }
  }

  mutating func account(_ number: Int) -> String {
    var members: [(String, String)] = [
      ("id", "\(100_000 + number)"),
      ("guid", quoted([8, 4, 4, 4, 12].map { digits($0) }.joined(separator: "-"))),
      ("index", "\(number)"), ("isActive", "\(number % 2 == 1)"),
      ("balance", fraction(100_000...999_900, of: 100)),
      ("picture", quoted("http://placehold.example/32x32")), ("age", integer(20...60)),
      ("eyeColor", quoted(one(of: ["blue", "brown", "green"]))), ("name", quoted("Burton Macias")),
      ("gender", quoted(one(of: ["male", "female"]))), ("company", quoted("ZENTRY")),
      ("email", quoted("burtonmacias@zentry.example")),
      ("phone", quoted("+1 (862) \(integer(100...999))-\(integer(1000...9999))")), ("address", address()),
    ]
    members += [
      ("about", quoted(sentence(52) + #"\n"#)), ("registered", quoted("2014-11-22T03:09:31 -01:00")),
      ("latitude", degrees(90)), ("longitude", degrees(180)),
      ("score", number % 3 == 0 ? "null" : fraction(1...9999, of: 10_000)), ("rank", integer(1...100_000)),
      ("level", integer(0...255)), ("verified", "true"), ("deletedAt", "null"), ("tags", tags(7)),
      ("greeting", quoted("Hello, Burton Macias! You have \(integer(1...20)) unread messages.")),
    ]
    return object(members)
  }

  private mutating func address() -> String {
    object([
      ("street", quoted("\(integer(100...999)) Boynton Place")), ("city", quoted("Springdale")),
      ("zip", quoted(integer(10_000...99_999))), ("lat", degrees(90)), ("lon", degrees(180)),
      ("country", quoted("US")),
    ])
  }

  mutating func repository(_ number: Int) -> String {
    let owner = one(of: ["apple", "swiftlang", "vapor", "google", "pointfreeco"])
    let name = "swift-\(one(of: Self.words))\(number)"
    let web = "git.example.com/\(owner)/\(name)"
    var members: [(String, String)] = [
      ("id", integer(1...1_000_000_000)), ("node_id", quoted("MDEwOlJlcG9zaXRvcnk\(digits(12))")),
      ("name", quoted(name)), ("full_name", quoted("\(owner)/\(name)")), ("private", "false"),
      ("owner", self.owner(owner)), ("html_url", quoted("https://\(web)")),
      ("description", number % 7 == 0 ? "null" : quoted(description())), ("fork", "false"),
    ]
    members += links("https://api.example.com/repos/\(owner)/\(name)", Self.repositoryLinks)
    members += [
      ("created_at", quoted(date())), ("updated_at", quoted(date())), ("pushed_at", quoted(date())),
      ("git_url", quoted("git://\(web).git")),
      ("ssh_url", quoted("git@git.example.com:\(owner)/\(name).git")),
      ("clone_url", quoted("https://\(web).git")),
      ("homepage", one(of: ["null", quoted("https://swift.example"), quoted("")])),
      ("size", integer(1...1_000_000)), ("stargazers_count", integer(0...60_000)),
      ("watchers_count", integer(0...60_000)),
      ("language", one(of: [quoted("Swift"), quoted("C++"), "null"])),
    ]
    members += ["has_issues", "has_projects", "has_downloads"].map { ($0, "true") }
    members += ["has_wiki", "has_pages"].map { ($0, "false") }
    members += [
      ("forks_count", integer(0...9999)), ("mirror_url", "null"),
      ("archived", "false"), ("disabled", "false"),
      ("open_issues_count", integer(0...999)), ("license", number % 5 == 0 ? "null" : license()),
      ("allow_forking", "true"), ("is_template", "false"), ("web_commit_signoff_required", "false"),
      ("topics", tags(5)), ("visibility", quoted("public")), ("forks", integer(0...9999)),
      ("open_issues", integer(0...999)), ("watchers", integer(0...60_000)),
      ("default_branch", quoted("main")),
      ("score", "1.0"),
    ]
    return object(members)
  }

  private static let repositoryLinks = [
    ("url", ""), ("archive_url", "/{archive_format}{/ref}"), ("assignees_url", "/assignees{/user}"),
    ("blobs_url", "/git/blobs{/sha}"), ("branches_url", "/branches{/branch}"),
    ("collaborators_url", "/collaborators{/collaborator}"), ("comments_url", "/comments{/number}"),
    ("commits_url", "/commits{/sha}"), ("compare_url", "/compare/{base}...{head}"),
    ("contents_url", "/contents/{+path}"), ("contributors_url", "/contributors"),
    ("deployments_url", "/deployments"), ("downloads_url", "/downloads"), ("events_url", "/events"),
    ("forks_url", "/forks"), ("git_commits_url", "/git/commits{/sha}"), ("git_refs_url", "/git/refs{/sha}"),
    ("git_tags_url", "/git/tags{/sha}"), ("hooks_url", "/hooks"),
    ("issue_comment_url", "/issues/comments{/number}"), ("issues_url", "/issues{/number}"),
    ("keys_url", "/keys{/key_id}"), ("labels_url", "/labels{/name}"), ("languages_url", "/languages"),
    ("merges_url", "/merges"), ("milestones_url", "/milestones{/number}"), ("pulls_url", "/pulls{/number}"),
    ("releases_url", "/releases{/id}"),
  ]

  private mutating func owner(_ login: String) -> String {
    let number = integer(1...100_000_000)
    var members: [(String, String)] = [
      ("login", quoted(login)), ("id", number), ("node_id", quoted("MDEyOk9yZ2FuaXphdGlvbj\(digits(12))")),
      ("avatar_url", quoted("https://avatars.example.com/u/\(number)?v=4")), ("gravatar_id", quoted("")),
    ]
    members += links("https://api.example.com/users/\(login)", Self.ownerLinks)
    members += [
      ("html_url", quoted("https://git.example.com/\(login)")), ("type", quoted("Organization")),
      ("site_admin", "false"),
    ]
    return object(members)
  }

  private static let ownerLinks = [
    ("url", ""), ("followers_url", "/followers"), ("following_url", "/following{/other_user}"),
    ("gists_url", "/gists{/gist_id}"), ("starred_url", "/starred{/owner}{/repo}"),
    ("subscriptions_url", "/subscriptions"), ("organizations_url", "/orgs"), ("repos_url", "/repos"),
    ("events_url", "/events{/privacy}"), ("received_events_url", "/received_events"),
  ]

  private func license() -> String {
    object([
      ("key", quoted("apache-2.0")), ("name", quoted("Apache License 2.0")),
      ("spdx_id", quoted("Apache-2.0")),
      ("url", quoted("https://api.example.com/licenses/apache-2.0")), ("node_id", quoted("MDc6TGljZW5zZTI=")),
    ])
  }

  /// Returns a sentence: plain, with characters beyond ASCII, or with escapes.
  private mutating func description() -> String {
    sentence(14) + one(of: ["", " – café 🚀", #" \"quoted\""#])
  }

  private mutating func date() -> String {
    let parts = [10...25, 1...12, 1...28, 0...23, 0...59, 0...59].map { range in
      let number = Int.random(in: range, using: &random)
      return number < 10 ? "0\(number)" : "\(number)"
    }
    return "20\(parts[0..<3].joined(separator: "-"))T\(parts[3...].joined(separator: ":"))Z"
  }

  private mutating func tags(_ count: Int) -> String {
    "[\((0..<count).map { _ in quoted(one(of: Self.words)) }.joined(separator: ","))]"
  }

  private mutating func sentence(_ count: Int) -> String {
    (0..<count).map { _ in one(of: Self.words) }.joined(separator: " ")
  }

  private mutating func degrees(_ limit: Int) -> String {
    fraction(-limit * 1_000_000...limit * 1_000_000, of: 1_000_000)
  }

  private mutating func fraction(_ range: ClosedRange<Int>, of whole: Double) -> String {
    "\(Double(Int.random(in: range, using: &random)) / whole)"
  }

  private mutating func integer(_ range: ClosedRange<Int>) -> String {
    "\(Int.random(in: range, using: &random))"
  }

  private mutating func digits(_ count: Int) -> String {
    (0..<count).map { _ in String(Int.random(in: 0..<16, using: &random), radix: 16) }.joined()
  }

  private mutating func one(of choices: [String]) -> String {
    choices[Int.random(in: 0..<choices.count, using: &random)]
  }

  private func links(_ base: String, _ places: [(String, String)]) -> [(String, String)] {
    places.map { ($0.0, quoted(base + $0.1)) }
  }

  /// Quotes a text that needs no escaping.
  private func quoted(_ text: String) -> String { "\"\(text)\"" }

  private func object(_ members: [(String, String)]) -> String {
    "{\(members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ","))}"
  }
}
