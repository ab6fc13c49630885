/** What can happen to a list on its way: each changes the document, by drawn numbers, in a way that an import could notice. */

export type Loss = (document: string, draws: readonly number[], format: string) => Buffer

const of =
  (change: (document: string, draws: readonly number[], format: string) => string): Loss =>
  (document, draws, format) =>
    Buffer.from(change(document, draws, format))

/** `text` with `count` characters at `at` exchanged for others. */
const spliced = (text: string, at: number, count: number, by: string): string =>
  text.slice(0, at) + by + text.slice(at + count)

const WORDS =
  /idType|idNumber|idList|sdnEntry|Digital Currency Address|Feature(?:TypeID)?|VersionDetail|Profile(?:ID)?|SanctionsEntry|ListID|sanctions|remark|sanctionEntity|COMMENTS1|INDIVIDUAL|OtherInformation|Other Information|Designation|FinancialSanctionsTarget|ofac_sdn|address|category|abuse|currency|tags|CryptoWallet|publicKey|topics|holder|schema|chainId|XBT|ETH|USDT/g
const PAGES = [
  ...['', '\n', '{"error":"too many requests"}', 'Service Unavailable'],
  '<!DOCTYPE html>\n<html><head><title>503</title></head><body>Service Unavailable</body></html>\n',
  ...['<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', '<html><body>Sign in</body></html>'],
]

const cells = (line: string): readonly string[] =>
  line.match(/("[^"]*"|[^,]*)(,|$)/g)!.map((cell) => cell.replace(/,$/, ''))

function exchangedColumns(document: string, [a = 0, b = 0]: readonly number[]): string {
  return document
    .split('\n')
    .map((line) => {
      const fields = [...cells(line.replace('\r', ''))]
      if (fields.length < 5) return line
      const width = fields.length - 1
      const [from, to] = [a % width, b % width]
      ;[fields[from], fields[to]] = [fields[to]!, fields[from]!]
      return fields.slice(0, width).join(',') + (line.endsWith('\r') ? '\r' : '')
    })
    .join('\n')
}

const ADDRESS_IN_ELEMENT = /<(\w+)>([^<]*\w{25}[^<]*)<\/\1>/g

/** Moves an address to an element or an attribute that no reader knows, or the cells of a row with an address to other columns. */
function otherPlace(document: string, [at = 0, how = 0]: readonly number[], format: string): string {
  const elements = [...document.matchAll(ADDRESS_IN_ELEMENT)]
  if (elements.length > 0) {
    const { 0: whole, 2: text = '', index } = elements[at % elements.length]!
    const wallet = [`<Wallet>${text}</Wallet>`, `<Other wallet="${text}"/>`, `<a><b>${text}</b></a>`][
      how % 3
    ]!
    return spliced(document, index, whole.length, wallet)
  }
  if (!format.endsWith('csv')) return document
  const lines = document.split('\n')
  const rows = [...lines.keys()].filter(
    (row) => row > 0 && /\w{25}/.test(lines[row]!) && lines[row]!.includes(','),
  )
  const row = rows[at % rows.length]!
  const fields = cells(lines[row]!.replace('\r', '')).slice(0, -1)
  const by = 1 + (how % Math.max(1, fields.length - 1))
  const end = lines[row]!.endsWith('\r') ? '\r' : ''
  return lines.with(row, [...fields.slice(by), ...fields.slice(0, by)].join(',') + end).join('\n')
}

/** In these a blank line shows. */
const BY_ROWS: readonly string[] = ['csv', 'ofac-csv', 'ofsi-csv', 'ftm']

export const LOSSES: Readonly<Record<string, Loss>> = {
  'a field garbled': of((text, [at = 0, count = 0]) => {
    const from = at % text.length
    const length = 1 + (count % 4)
    return spliced(text, from, length, '§'.repeat(length))
  }),
  'letters lost': of((text, [at = 0, count = 0]) => {
    const length = 1 + (count % 3)
    const from = at % text.length
    // Forty digits of an EVM address without its prefix are an address too, whichever forty they are.
    const isPrefix = text.slice(from - 1, from + length + 1).includes('0x')
    return spliced(text, isPrefix ? from + 8 : from, length, '')
  }),
  'an unknown word': of((text, [at = 0, kind = 0]) => {
    const words = [...text.matchAll(WORDS)]
    const word = words[at % words.length]!
    const by = `${word[0].slice(0, -1)}X`
    // A new edition renames a word everywhere; a slip of the pen once.
    return kind % 2 === 0 ? text.replaceAll(word[0], by) : spliced(text, word.index, word[0].length, by)
  }),
  'a place that no reader knows': of(otherPlace),
  'the end of a row cut': of((text, [at = 0], format) => {
    // White space means nothing in XML, YAML and JSON: there something of the row stays, since a row that a source never sent shows
    // only in the guard of removals.
    const drawn = at % text.length
    const isFirst = drawn === 0 || text[drawn - 1] === '\n'
    const from = drawn + (isFirst && !BY_ROWS.includes(format) ? 1 : 0)
    const end = text.indexOf('\n', from)
    return end < 0 ? text.slice(0, from) : spliced(text, from, end - from, '')
  }),
  'the file cut': of((text, [at = 0]) => {
    // The dash that begins a tag in YAML states nothing yet.
    const end = text.slice(0, at % (text.length - 1)).replace(/[\s-]+$/, '').length
    // Behind a row, a cut file looks like a shorter list, and only the guard of removals stops it.
    return text.slice(0, /[\s-]/.test(text[end]!) ? end - 1 : end)
  }),
  'a page instead of the file': of((_text, [which = 0]) => PAGES[which % PAGES.length]!),
  'other line ends': of((text, [which = 0]) =>
    text.replaceAll(/\r?\n/g, ['\r\n', '\n', '\r', '\n\n', '\n\r\n'][which % 5]!),
  ),
  'other column order': of((text, draws, format) =>
    format.endsWith('csv')
      ? exchangedColumns(text, draws)
      : text
          .replaceAll(/(\w+)="([^"]*)"/g, "$1 = '$2'")
          .replaceAll(/^\{.*\}(?=,?$)/gm, (line) =>
            JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line) as object).toReversed())),
          ),
  ),
  'damaged bytes': (text, [at = 0, which = 0]) => {
    const bytes = Buffer.from(text)
    bytes[at % bytes.length] = [0, 0xff, 0xc3, 0x1a, 0x80][which % 5]!
    return bytes
  },
  'another encoding': (text, [which = 0]) =>
    which % 3 === 0
      ? Buffer.from(`\ufeff${text}`, 'utf16le')
      : Buffer.from(
          which % 3 === 1 ? `\ufeff${text}` : text.replace('ORLOVSKY', 'ORLÖVSKY'),
          which % 3 === 1 ? 'utf8' : 'latin1',
        ),
  'rows glued together': of((text, [at = 0]) => {
    const ends = [...text.matchAll(/\r?\n/g)]
    const end = ends[at % ends.length]!
    return spliced(text, end.index, end[0].length, '')
  }),
}
