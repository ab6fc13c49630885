/** The MAC of the document of a report in its row: whoever owns the tables and has no record key cannot make it. */
import { hash } from 'node:crypto'
import type { TextMacs } from '@cupel/event-log'

/** The document of a report. Its hash stands for it, so that a thread without keys need not hand it over. */
export interface DocumentOfReport {
  readonly accountId: string
  readonly livemode: boolean
  readonly reportId: string
  readonly sha256: string
}

const PURPOSE = 'document of report v1'

export const sha256Of = (document: string): string => hash('sha256', document)

export const documentMac = (macs: TextMacs, of: DocumentOfReport): string => macs.macOf(PURPOSE, textOf(of))

export const isDocumentMac = (macs: TextMacs, mac: string, of: DocumentOfReport): boolean =>
  macs.isMac(mac, PURPOSE, textOf(of))

const textOf = ({ accountId, livemode, reportId, sha256 }: DocumentOfReport): string =>
  JSON.stringify([accountId, livemode, reportId, sha256])
