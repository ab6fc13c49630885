/** The findings about the signatures of reports, for people. */
import type { SignatureSummary } from '../../proofs/index.js'

export function signatureLines(
  { signed, unsigned, beforeFirstKey, firstKeyAt, keys }: SignatureSummary,
  macsChecked: boolean,
): string[] {
  const count = (value: number): string => value.toLocaleString('en-US')
  return [
    ...(macsChecked
      ? []
      : ['MACs were not checked: without record keys nobody can tell which records other producers wrote.']),
    `${count(signed)} records of reports are signed, ${count(unsigned)} carry no signature.`,
    ...(beforeFirstKey === 0
      ? []
      : [
          `Reports are signed from ${firstKeyAt} on: ${count(beforeFirstKey)} are from before it and carry a MAC only.`,
        ]),
    ...keys.map((key) => {
      const marks = [
        key.isPublished ? 'named by the log' : 'not named by the log',
        ...(key.isTrusted ? [] : ['not among the given keys']),
      ]
      return `  ${key.verifierKey}: ${count(key.reports)} (${marks.join(', ')})`
    }),
  ]
}
