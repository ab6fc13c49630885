/** The text of `audit verify` about erased personal data, which cannot be read any more. Erasures are not problems. */
import type { Erasure } from '../../proofs/index.js'
import { snakeCase } from '@cupel/command-line'

/** The ids of the keys are in the log. */
export function erasureJson({ keyIds, ...erasure }: Erasure): object {
  return { ...snakeCase(erasure), destroyed_keys: keyIds.length }
}

export function erasureLines(erasures: readonly Erasure[]): string[] {
  return erasures.map(({ scope, accountId, period, keyIds, plainRecords, erasedAt }) => {
    const what =
      accountId === ''
        ? `the client addresses of ${period} of ${keyIds.length.toLocaleString('en-US')} accounts`
        : scope === 'reference'
          ? `the personal data of one customer reference of ${accountId}`
          : `the personal data of ${accountId}`
    const plain =
      plainRecords === null || plainRecords === 0
        ? ''
        : ` ${plainRecords.toLocaleString('en-US')} records from before it was sealed hold it as it is.`
    return `Erased: ${what}, at ${erasedAt}.${plain}`
  })
}
