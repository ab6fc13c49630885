/** The MAC of the document of a report in its row: whoever owns the tables and has no record key cannot make it. */
import { hash } from 'node:crypto'
import type { TextMacs } from '@cupel/event-log'

interface OfReport {
  readonly accountId: string
  readonly livemode: boolean
  readonly reportId: string
}

/** The hash stands for the document, so that a thread without keys need not hand it over. */
type Hashed = OfReport & { readonly sha256: string }

const PURPOSE = 'document of report v1'

export const sha256Of = (document: string): string => hash('sha256', document)

export const documentMac = (
  macs: TextMacs,
  { document, ...of }: OfReport & { readonly document: string },
): string => macs.macOf(PURPOSE, textOf({ ...of, sha256: sha256Of(document) }))

export const isDocumentMac = (macs: TextMacs, mac: string, of: Hashed): boolean =>
  macs.isMac(mac, PURPOSE, textOf(of))

const textOf = ({ accountId, livemode, reportId, sha256 }: Hashed): string =>
  JSON.stringify([accountId, livemode, reportId, sha256])
