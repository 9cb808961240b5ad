import Foundation

/// The files of one key, grouped by ``VariantName/variantGroup`` and ``VariantName/layout``.
extension CacheFolder {
  func responses(for key: CacheKey, _ name: CacheFileName) -> [CachedResponse] {
    Dictionary(grouping: names(of: name), by: CacheFileName.variantGroup(of:)).values
      .flatMap { bounded($0) }.compactMap { name in
        guard let (stored, response) = read(name), stored == key else { return nil }
        noteUse(name, of: response)
        return response
      }
  }

  func responses(
    for key: CacheKey, named name: CacheFileName, to question: VariantQuestion
  ) -> [CachedResponse] {
    let all = names(of: name)
    let group = CacheFileName(name, variantGroup: question.variantGroup).text
    let own = bounded(all.filter { $0.hasPrefix(group) })
    if !own.isEmpty {
      return Dictionary(grouping: own, by: CacheFileName.layout(of:)).values.compactMap {
        response(in: $0, of: key, after: name, to: question)
      }
    }
    // No file matches. The heads of up to four files tell the rules the reason for the cache miss.
    return all.prefix(4).compactMap { read($0, extent: .head) }.filter { $0.0 == key }.map(\.1)
  }

  /// Returns the matching response of a layout.
  ///
  /// Without a match, may return a different response, in which the rules find the reason for the miss.
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

  private func noteUse(_ name: String, of response: CachedResponse) {
    noteUse(name, after: response.selectors.isEmpty ? 60 : 0)
  }

  func bound(groupOf name: String) { _ = bounded(names(of: CacheFileName(groupOf: name))) }

  private func bounded(_ names: [String]) -> [String] {
    guard names.count > VariantName.maximumCount else { return names }
    let sorted = names.map { (name: $0, used: timeOfUse($0)) }.sorted { $0.used > $1.used }.map(\.name)
    for name in sorted.dropFirst(VariantName.maximumCount) { remove(name) }
    return Array(sorted.prefix(VariantName.maximumCount))
  }
}
