// Compares decoding by ErrandJSON with Foundation's JSONDecoder; see Options.usage.

import Foundation
import JSONCases

guard let options = Options(CommandLine.arguments.dropFirst()) else {
  print(Options.usage)
  exit(2)
}

let isFine =
  switch options.mode {
  case .compare: await Commands.compare(options)
  case .mutated: await Commands.mutated(options)
  case .hostile: await Commands.hostile(options)
  case .depths: await Commands.depths(options)
  case .threads: await Commands.threads(options)
  case .printing: await Commands.printing()
  }
exit(isFine ? 0 : 1)
