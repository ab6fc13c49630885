export {
  MAGIC_DELAY_MS,
  MAGIC_SLOW_ADDRESS,
  magicProblems,
  magicReports,
  sandboxLabels,
} from './magic-addresses.js'
export type { MagicReport, SandboxLabels } from './magic-addresses.js'
