export { writeAnswer } from './answer-file.js'
export { type JsonOption, answer, snakeCase, table } from './answer.js'
export { type CliContext, checkout, configOf, contextWith, createContext } from './context.js'
export { type DemoKeys, demoKeysFile, readDemoKeys } from './demo-keys-file.js'
export {
  CommandError,
  EXIT_CONFIG,
  EXIT_FAILED,
  EXIT_NOTHING_TO_PROVE,
  EXIT_NOT_FOUND,
  EXIT_UNAVAILABLE,
  EXIT_USAGE,
  type Explanation,
  explain,
  explainCommand,
} from './explain.js'
export { keptHistoriesOf, withHistoryFolder } from './history-folder.js'
export { momentOf } from './moment.js'
export { reportIdValue, wholeNumber } from './option-values.js'
export { type Paint, type Style, forTerminal, paintFor, printable } from './paint.js'
export { readingNotes } from './reading-notes.js'
export { callService } from './service-call.js'
export { namedService } from './service-target.js'
export { sinceText } from './since.js'
export {
  OutputClosedError,
  drained,
  hasAnswered,
  noteLine,
  printLine,
  tolerateClosedPipes,
} from './standard-output.js'
export { VERSION } from './version.js'
