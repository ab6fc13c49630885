/**
 * Collected tags of block explorers in JSON: a list of {address, nameTag | comment, …} or one object of address → name. Such files state
 * neither chain nor category, so the operator states them.
 */
import { type Category } from '@cupel/contracts'
import { chains, upperAscii } from '@cupel/domain'
import { parseTime } from './dates.js'
import {
  SetRefusedError,
  type LabelFile,
  type LabelFormat,
  type ParsedItem,
  type ParseOptions,
} from './label-source.js'
import { shown } from './message.js'
import { readText } from './utf8.js'

/** Limit of a JSON file, which is parsed as a whole. */
const MAX_JSON_BYTES = 128 * 1024 * 1024

export const explorerJsonFormat: LabelFormat = {
  name: 'explorer-json',
  title: 'Explorer tags, JSON',
  description: 'explorer tags in JSON, a list or an object by address; needs --category and --chain',
  parse(file, options = {}) {
    return {
      items: parseTags(file, options),
      facts: () => ({ publishedAt: null, defaultSource: null }),
    }
  },
}

/** EIP-155 chain ids that a tag may name. */
const codesByChainId: ReadonlyMap<string, string> = new Map(
  chains.flatMap(({ chainId, code }) => (chainId === null ? [] : [[String(chainId), code] as const])),
)

interface Tag {
  readonly address: string
  readonly name: string
  /** Empty if the tag names none. */
  readonly chainId: string
  readonly observedAt: string | null
}

async function* parseTags(file: LabelFile, options: ParseOptions): AsyncGenerator<ParsedItem> {
  if (options.category === undefined) {
    throw new SetRefusedError(
      'missing-option',
      null,
      'Explorer tags state no category: give one with --category',
    )
  }
  const text = await readText(file.open(), MAX_JSON_BYTES)
  const lineOf = lineFinder(text)
  for (const tag of tagsOf(parseJson(text))) {
    yield readTag(tag, lineOf(tag.address), options.category, options.chain)
  }
}

function readTag(tag: Tag, line: number, category: Category, optionChain: string | undefined): ParsedItem {
  const address = tag.address.trim()
  // Collections contain the footer of the page they came from: an empty key, "Sum of 7 Accounts".
  if (address === '') return { type: 'refused', line, reason: 'the address is empty' }
  const { chainId } = tag
  if (chainId !== '' && !codesByChainId.has(chainId))
    return { type: 'refused', line, reason: `no chain is known for chainId ${shown(chainId)}` }
  const chain = codesByChainId.get(chainId) ?? optionChain
  if (chain === undefined) {
    throw new SetRefusedError('missing-option', line, 'the tag states no chain: give one with --chain')
  }
  return {
    type: 'row',
    row: {
      line,
      address,
      chain: upperAscii(chain),
      chainHint: null,
      category,
      entity: tag.name.trim(),
      source: null,
      sourceUrl: '',
      confidencePpm: null,
      kind: 'crowd',
      observedAt: tag.observedAt,
      validFrom: null,
    },
  }
}

function* tagsOf(document: unknown): Generator<Tag> {
  if (Array.isArray(document)) {
    for (const entry of document as readonly unknown[]) {
      if (
        typeof entry !== 'object' ||
        entry === null ||
        !('address' in entry) ||
        typeof entry.address !== 'string'
      ) {
        throw new SetRefusedError('malformed', null, 'An entry of the list has no address')
      }
      yield tagOfEntry(entry as Record<string, unknown> & { address: string })
    }
    return
  }
  if (typeof document !== 'object' || document === null) {
    throw new SetRefusedError('wrong-header', null, 'The document is neither a list nor an object')
  }
  for (const [address, name] of Object.entries(document)) {
    if (typeof name !== 'string')
      throw new SetRefusedError('malformed', null, `The name of a tag is not a string`)
    yield { address, name, chainId: '', observedAt: null }
  }
}

function tagOfEntry(entry: Record<string, unknown> & { address: string }): Tag {
  const first = (...names: readonly string[]): string => {
    for (const name of names) {
      const value = entry[name]
      if (typeof value === 'string' && value !== '') return value
    }
    return ''
  }
  const chainId = entry['chainId']
  return {
    address: entry.address,
    name: first('nameTag', 'name_tag', 'name', 'comment', 'tag'),
    chainId: chainId === undefined || chainId === null ? '' : String(chainId as string | number),
    observedAt: parseTime(first('date', 'updated_at')),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const truncated = stopsAtEnd(text, error)
    throw new SetRefusedError(
      truncated ? 'truncated' : 'malformed',
      null,
      `The file is not JSON: ${error.message}`,
      {
        cause: error,
      },
    )
  }
}

/** Whether JSON.parse failed because the text ended too early. The wording is that of V8's messages. */
function stopsAtEnd(text: string, { message }: SyntaxError): boolean {
  const position = /at position (\d+)/.exec(message)
  if (position === null) return /end of JSON/i.test(message)
  return Number(position[1]) >= text.trimEnd().length
}

/** Finds the line of each address by searching after the previous one: JSON.parse keeps the order but reports no positions. */
function lineFinder(text: string): (address: string) => number {
  let position = 0
  let line = 1
  return (address) => {
    const found = text.indexOf(JSON.stringify(address), position)
    if (found < 0) return line
    for (let at = text.indexOf('\n', position); at >= 0 && at < found; at = text.indexOf('\n', at + 1))
      line += 1
    position = found + 1
    return line
  }
}
