/** Finds where a PDF differs from a new rendering of the same report, in words for a reader. */

export interface Difference {
  /** Offset of the first byte that differs. */
  readonly offset: number
  /** A part of the document, for a sentence: `page 2`, `the attached report.json`. */
  readonly place: string
  /** Whether the only difference is that the document ends too early. */
  readonly isCutOff: boolean
  readonly pages: number
  readonly expectedPages: number
}

/** The first place where `shown` differs from `rendered`, a document of this renderer; null if they are equal. */
export function differenceOf(shown: Uint8Array, rendered: Uint8Array): Difference | null {
  const [one, other] = [bufferOf(shown), bufferOf(rendered)]
  if (one.equals(other)) return null
  const offset = firstDifferent(one, other)
  const text = other.toString('latin1')
  return {
    offset,
    place: offset >= other.length ? 'what follows the end of the document' : placeOf(layoutOf(text), offset),
    isCutOff: offset === one.length,
    ...{ pages: pageCount(one.toString('latin1')), expectedPages: pageCount(text) },
  }
}

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength)

function firstDifferent(one: Buffer, other: Buffer): number {
  let [low, high] = [0, Math.min(one.length, other.length)]
  // The first `low` bytes are equal. The first `high` bytes are not equal, or are all the bytes there are.
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (one.compare(other, low, middle, low, middle) === 0) low = middle
    else high = middle - 1
  }
  return low
}

const pageCount = (text: string): number => text.match(/\n\/Type \/Page\n/g)?.length ?? 0

interface PlacedObject {
  readonly offset: number
  readonly place: string
}

interface PdfObject {
  readonly offset: number
  readonly text: string
}

const INFORMATION = 'the information of the document'

/** Objects by offset, each with the part of the document it belongs to. Only for a document that this renderer made. */
function layoutOf(text: string): readonly PlacedObject[] {
  const table = Number(/startxref\n(\d+)\n%%EOF\n?$/.exec(text)?.[1])
  const objects = objectsOf(text, table)
  const places = placesOf(objects, text.slice(table))
  const placed = [...objects].map(([id, each]) => ({
    offset: each.offset,
    place: places.get(id) ?? 'the structure of the document',
  }))
  return [...placed, { offset: table, place: 'the table of objects' }].sort(
    (one, other) => one.offset - other.offset,
  )
}

/** By number, with their text up to the next object. */
function objectsOf(text: string, table: number): ReadonlyMap<number, PdfObject> {
  const offsets = [...text.slice(table).matchAll(/^(\d{10}) \d{5} n/gm)].map(([, offset]) => Number(offset))
  const inOrder = [...offsets].sort((one, other) => one - other)
  const numbers = new Map(offsets.map((offset, at) => [offset, at + 1]))
  return new Map(
    inOrder.map((offset, at) => [
      numbers.get(offset)!,
      { offset, text: text.slice(offset, inOrder[at + 1] ?? table) },
    ]),
  )
}

function placesOf(objects: ReadonlyMap<number, PdfObject>, trailer: string): ReadonlyMap<number, string> {
  const places = new Map<number, string>()
  /** Objects that `id` refers to at the places that the pattern matches. */
  const named = (text: string | undefined, pattern: RegExp, place: string): number[] => {
    const ids = [...(text ?? '').matchAll(pattern)].flatMap(([, list]) =>
      [...list!.matchAll(/(\d+) 0 R/g)].map(([, id]) => Number(id)),
    )
    for (const id of ids) places.set(id, place)
    return ids
  }
  for (const id of named(trailer, /\/Info (\d+ 0 R)/g, INFORMATION))
    named(objects.get(id)?.text, / (\d+ 0 R)/g, INFORMATION)
  const root = objects.get(Number(/\/Root (\d+) 0 R/.exec(trailer)?.[1]))?.text
  named(root, /\/Metadata (\d+ 0 R)/g, INFORMATION)
  const list = objects.get(named(root, /\/Pages (\d+ 0 R)/g, 'the list of pages')[0] ?? 0)?.text
  for (const [at, id] of named(list, /\/Kids \[([^\]]*)\]/g, '').entries()) {
    const place = `page ${at + 1}`
    places.set(id, place)
    const { text } = objects.get(id) ?? {}
    named(text, /\/(?:Contents|Resources) (\d+ 0 R)/g, place)
    for (const link of named(text, /\/Annots \[([^\]]*)\]/g, place))
      named(objects.get(link)?.text, /\/A (\d+ 0 R)/g, place)
  }
  for (const [id, { text }] of objects) {
    const tagged = /^\d+ 0 obj\n<<\n\/Type \/StructElem\n[^>]*\/Pg (\d+) 0 R/.exec(text)?.[1]
    const page = tagged === undefined ? undefined : places.get(Number(tagged))
    if (page !== undefined) places.set(id, page)
    if (/^\d+ 0 obj\n<<\n\/Type \/Font/.test(text)) {
      places.set(id, 'a font')
      named(text, /\/\w+ \[?(\d+ 0 R)/g, 'a font')
    }
    const file = /^\d+ 0 obj\n<<\n\/Type \/Filespec\n[^>]*\n\/F \(([a-z.]+)\)/.exec(text)?.[1]
    if (file === undefined) continue
    places.set(id, `the attached ${file}`)
    named(text, /\/F (\d+ 0 R)/g, `the attached ${file}`)
  }
  return places
}

function placeOf(layout: readonly PlacedObject[], offset: number): string {
  const before = layout.filter((each) => each.offset <= offset)
  return before.at(-1)?.place ?? 'the beginning of the document'
}
