export {
  MAGIC_DELAY_MS,
  MAGIC_SLOW_ADDRESS,
  magicProblems,
  magicReports,
  sandboxLabels,
} from './magic-addresses.js'
