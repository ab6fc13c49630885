/** The place of a report in the transparency log, as a response header names it. It never changes. */

export interface ReportLeaf {
  /** Name of the transparency log: the origin of its checkpoints. */
  readonly log: string
  readonly index: number
  /** RFC 6962 hash of the leaf, 64 hex digits. */
  readonly hash: string
}

/** What of it follows from the record of the report, and is known before the leaf is in the log: documents print this. */
export type RecordedLeaf = Omit<ReportLeaf, 'index'>

/** A dictionary of RFC 9651 with log, index and hash. */
export const LEAF_HEADER = 'cupel-leaf'

const LOG = '[!-*,-~]{1,1000}'
const NAME = new RegExp(`^${LOG}$`)
const FORM = /^log="((?:[ !#-[\]-~]|\\["\\])*)", index=(0|[1-9][0-9]{0,14}), hash="([0-9a-f]{64})"$/

export function leafHeader({ log, index, hash }: ReportLeaf): string {
  return `log="${log.replaceAll(/["\\]/g, '\\$&')}", index=${index}, hash="${hash}"`
}

/** Null if the value is absent, or was not made by `leafHeader`. */
export function parseLeafHeader(value: string | undefined): ReportLeaf | null {
  const [, text, index, hash] = FORM.exec(value ?? '') ?? []
  const log = text?.replaceAll(/\\(["\\])/g, '$1') ?? ''
  return NAME.test(log) ? { log, index: Number(index), hash: hash! } : null
}
