// Compares decoding by ErrandJSON with Foundation's JSONDecoder; see Options.usage.

import Foundation
import JSONCases

guard let options = Options(CommandLine.arguments.dropFirst()) else {
  print(Options.usage)
  exit(2)
}

let isFine =
  switch options.mode {
  case .compare: Commands.compare(options)
  case .mutated: Commands.mutated(options)
  case .hostile: Commands.hostile(options)
  case .depths: Commands.depths(options)
  case .threads: Commands.threads(options)
  }
exit(isFine ? 0 : 1)
