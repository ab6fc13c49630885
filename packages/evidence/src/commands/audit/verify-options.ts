/** What the verification of a log and of an archive share. */
import { deadLetterGroups, deadLetterTopic } from '@cupel/event-log'
import { type CliContext, readingNotes } from '@cupel/command-line'
import type { ReadArchive } from '@cupel/command-line/installation'
import type { VerifyPartition } from '../../proofs/index.js'
import type { AuditThreads } from './audit-threads.js'
import type { ExpectationOptions } from './expected-log.js'
import type { WitnessOptions } from '../verify/witnesses.js'

/** Problems that are listed; all are counted. */
export const MAX_PROBLEMS = 200

export interface VerifyOptions extends ExpectationOptions, WitnessOptions {
  readonly publicKeys?: string
  /** Read in place of the log. */
  readonly archive?: string
  readonly minLeaves?: number
  readonly transparency?: string
  readonly kept?: string
  readonly keptSha256?: string
  readonly whole?: boolean
  readonly threads?: number
}

export const deadLetters = deadLetterGroups.map(deadLetterTopic)

export function readingOptions(context: CliContext, { json }: VerifyOptions) {
  return {
    rawTopics: new Set(deadLetters.map(({ name }) => name)),
    ...(json === true ? {} : { onProgress: readingNotes(context.note, () => performance.now()) }),
  }
}

/** `onFaults` is called with the damaged files of an archive that a thread met. */
export function verifierOf(
  threads: AuditThreads,
  onFaults: (faults: ReadArchive['faults']) => void = () => undefined,
): { readonly verifyPartition: VerifyPartition; readonly atOnce: number } {
  return {
    atOnce: threads.atOnce,
    async verifyPartition(piece, onRecords) {
      const { verified, faults } = await threads.run('partition', piece, onRecords)
      onFaults(faults)
      return verified
    },
  }
}
