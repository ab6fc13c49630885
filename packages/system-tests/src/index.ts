/** An installation, started as a user starts it. */
export { cupel, type CommandResult } from './command.js'
export {
  createHome,
  removeHome,
  startInstallation,
  type Installation,
  type ReadyLine,
} from './installation.js'
export { descendants } from './process-tree.js'
export { textMac } from './record-mac.js'
export { seededRandom } from './random.js'
