import Foundation

/// A repository as GitHub's API describes repositories, without two dozen members that few apps read.
public struct Repository: Codable, Equatable, Sendable {
  /// The owner of the repository.
  public struct Owner: Codable, Equatable, Sendable {
    var login: String
    var id: Int
    var nodeId: String
    var avatarUrl: URL
    var gravatarId: String
    var url: URL
    var htmlUrl: URL
    var followersUrl: String
    var followingUrl: String
    var gistsUrl: String
    var starredUrl: String
    var subscriptionsUrl: URL
    var organizationsUrl: URL
    var reposUrl: URL
    var eventsUrl: String
    var receivedEventsUrl: URL
    var type: String
    var siteAdmin: Bool
  }

  /// The license of the repository.
  public struct License: Codable, Equatable, Sendable {
    var key: String
    var name: String
    var spdxId: String?
    var url: URL?
    var nodeId: String
  }

  var id: Int
  var nodeId: String
  var name: String
  var fullName: String
  var `private`: Bool
  var owner: Owner
  var htmlUrl: URL
  var description: String?
  var fork: Bool
  var url: URL
  var archiveUrl: String
  var assigneesUrl: String
  var blobsUrl: String
  var branchesUrl: String
  var collaboratorsUrl: String
  var commentsUrl: String
  var commitsUrl: String
  var compareUrl: String
  var contentsUrl: String
  var contributorsUrl: URL
  var createdAt: Date
  var updatedAt: Date
  var pushedAt: Date?
  var gitUrl: String
  var sshUrl: String
  var cloneUrl: URL
  var homepage: String?
  var size: Int
  var stargazersCount: Int
  var watchersCount: Int
  var language: String?
  var hasIssues: Bool
  var hasProjects: Bool
  var hasDownloads: Bool
  var hasWiki: Bool
  var hasPages: Bool
  var forksCount: Int
  var mirrorUrl: URL?
  var archived: Bool
  var disabled: Bool
  var openIssuesCount: Int
  var license: License?
  var topics: [String]
  var visibility: String
  var forks: Int
  var openIssues: Int
  var watchers: Int
  var defaultBranch: String
  var score: Double
}
