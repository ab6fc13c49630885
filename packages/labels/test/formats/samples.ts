/** Reads label files in tests: made-up texts, and real files beside the checkout. */
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { sharedDataFolder } from '@cupel/testkit'
import type {
  ByteStream,
  LabelFile,
  LabelFormat,
  LabelRow,
  ParsedItem,
  ParseOptions,
  SetFacts,
} from '../../src/formats/label-source.js'

const shared = sharedDataFolder()

/** For `test.skipIf`: this machine has no genuine files. The end of the run reports it. */
export const noSharedData = shared === null

/** A genuine file of the shared data's `raw` folder. */
export function rawFile(path: string): LabelFile {
  const file = join(shared ?? '', 'raw', path)
  return { open: () => createReadStream(file) as AsyncIterable<Buffer> }
}

/** A file that arrives in chunks of the given size. */
export function textFile(text: string | Buffer, chunkBytes = 4_096): LabelFile {
  const bytes = Buffer.from(text)
  return {
    open: async function* (): ByteStream {
      for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
    },
  }
}

export interface Parsed {
  readonly items: readonly ParsedItem[]
  readonly rows: readonly LabelRow[]
  readonly refused: readonly { readonly line: number; readonly reason: string }[]
  readonly unreadable: readonly { readonly line: number; readonly reason: string }[]
  readonly skipped: readonly { readonly line: number; readonly reason: string }[]
  readonly facts: SetFacts
}

export async function parseFile(
  format: LabelFormat,
  file: LabelFile,
  options?: ParseOptions,
): Promise<Parsed> {
  const set = format.parse(file, options)
  const items: ParsedItem[] = []
  for await (const item of set.items) items.push(item)
  return {
    items,
    rows: items.flatMap((item) => (item.type === 'row' ? [item.row] : [])),
    refused: ofType(items, 'refused'),
    unreadable: ofType(items, 'unreadable'),
    skipped: ofType(items, 'skipped'),
    facts: set.facts(),
  }
}

const ofType = (items: readonly ParsedItem[], type: Exclude<ParsedItem['type'], 'row'>): Parsed['refused'] =>
  items.flatMap((item) => (item.type === type ? [{ line: item.line, reason: item.reason }] : []))
