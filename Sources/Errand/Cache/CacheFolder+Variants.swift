import Foundation

/// The files of one key, of which each shelf has ``VariantName/most`` at most.
extension CacheFolder {
  /// All responses of a key.
  func responses(for key: CacheKey, _ name: CacheFileName) -> [CachedResponse] {
    Dictionary(grouping: names(of: name), by: CacheFileName.shelf(of:)).values
      .flatMap { bounded($0) }.compactMap { name in
        guard let (stored, response) = read(name), stored == key else { return nil }
        noteUse(name, of: response)
        return response
      }
  }

  /// The responses that may answer a request: of each layout one file is read, or the head of one and the file that is looked for.
  func responses(
    for key: CacheKey, named name: CacheFileName, to question: VariantQuestion
  ) -> [CachedResponse] {
    let all = names(of: name)
    let shelf = CacheFileName(name, shelf: question.shelf).text
    let own = bounded(all.filter { $0.hasPrefix(shelf) })
    if !own.isEmpty {
      return Dictionary(grouping: own, by: CacheFileName.layout(of:)).values.compactMap {
        response(in: $0, of: key, after: name, to: question)
      }
    }
    // They tell why nothing is found.
    return all.prefix(4).compactMap { read($0, extent: .head) }.filter { $0.0 == key }.map(\.1)
  }

  /// The response among variants of one layout; another one of them where it is not there.
  private func response(
    in names: [String], of key: CacheKey, after prefix: CacheFileName, to question: VariantQuestion
  ) -> CachedResponse? {
    for name in names {
      guard let (stored, response) = read(name, extent: names.count == 1 ? .whole : .head), stored == key
      else {
        continue
      }
      let wanted =
        names.count == 1 ? name : CacheFileName(prefix, variant: question.variant(like: response)).text
      guard names.contains(wanted) else { return response }
      guard names.count > 1 else {
        noteUse(wanted, of: response)
        return response
      }
      guard let (owner, found) = read(wanted), owner == key else { return response }
      noteUse(wanted, of: found)
      return found
    }
    return nil
  }

  /// Notes that a file was used: no more than once a minute where no other variant could be put out before.
  private func noteUse(_ name: String, of response: CachedResponse) {
    noteUse(name, after: response.selectors.isEmpty ? 60 : 0)
  }

  /// Keeps the bound of the shelf that a new variant stands on.
  func bound(shelfOf name: String) { _ = bounded(names(of: CacheFileName(shelfOf: name))) }

  /// The files of a shelf that stay; the others, which were not used for longest, are removed.
  private func bounded(_ names: [String]) -> [String] {
    guard names.count > VariantName.most else { return names }
    let sorted = names.map { (name: $0, used: timeOfUse($0)) }.sorted { $0.used > $1.used }.map(\.name)
    for name in sorted.dropFirst(VariantName.most) { remove(name) }
    return Array(sorted.prefix(VariantName.most))
  }
}
