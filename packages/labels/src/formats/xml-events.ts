/** A streaming XML reader that rejects the set for any fault of the document. */
import { SaxesParser } from 'saxes'
import { hasLongWord } from './authority/addresses-in-text.js'
import { SetRefusedError, type ByteStream } from './label-source.js'
import { decodeUtf8 } from './utf8.js'

export interface XmlElement {
  /** Name without prefix. */
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  /** Line of the start tag, from 1. */
  readonly line: number
}

export type XmlEvent =
  | { readonly type: 'start'; readonly element: XmlElement }
  /** `text` is the trimmed character data directly in the element. */
  | { readonly type: 'end'; readonly element: XmlElement; readonly text: string }

/** Every identifier, name or date is shorter. */
const MAX_TEXT_CHARACTERS = 65_536
/** Characters without the begin or the end of an element, which the parser holds: a text, a value, a comment or a declaration. */
const MAX_HELD_CHARACTERS = 2 * 1024 ** 2
/** Nested elements. Lists of authorities have at most a dozen. */
export const MAX_DEPTH = 64

/** Yields the start and end of every element. Rejects a document that is not well-formed, is cut off or is nested too deeply. */
export async function* readXml(input: ByteStream, root: string): AsyncGenerator<XmlEvent> {
  const parser = new SaxesParser<{ position: true; xmlns: false }>({ position: true, xmlns: false })
  const open: { element: XmlElement; text: string }[] = []
  let events: XmlEvent[] = []
  let complete = false

  parser.on('error', (error) => {
    throw new SetRefusedError('malformed', parser.line, `the XML is not well-formed: ${error.message}`)
  })
  parser.on('opentag', (tag) => {
    const name = tag.name.slice(tag.name.indexOf(':') + 1)
    const element: XmlElement = { name, attributes: tag.attributes, line: parser.line }
    if (open.length === 0 && name !== root) {
      throw new SetRefusedError('wrong-header', parser.line, `the document is <${name}>, not <${root}>`)
    }
    if (open.length === MAX_DEPTH)
      throw new SetRefusedError('malformed', parser.line, `elements lie within more than ${MAX_DEPTH} others`)
    open.push({ element, text: '' })
    events.push({ type: 'start', element })
  })
  const addText = (text: string): void => {
    const current = open.at(-1)
    if (current === undefined) return
    current.text += text
    if (current.text.length > MAX_TEXT_CHARACTERS) {
      throw new SetRefusedError('malformed', parser.line, `<${current.element.name}> holds too much text`)
    }
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    const { element, text } = open.pop()!
    if (open.length === 0) complete = true
    events.push({ type: 'end', element, text: text.trim() })
  })

  let held = 0
  for await (const text of decodeUtf8(input)) {
    parser.write(text)
    held = events.length === 0 ? held + text.length : 0
    if (held > MAX_HELD_CHARACTERS)
      throw new SetRefusedError('malformed', parser.line, `nothing begins or ends in ${held} characters`)
    yield* events
    events = []
  }
  if (!complete) {
    const within = open.at(-1)?.element.name
    throw new SetRefusedError(
      'truncated',
      parser.line,
      within === undefined
        ? 'the document is empty'
        : `the document ends inside <${within}>: the file is cut off`,
    )
  }
  parser.close()
}

/**
 * The attributes of an element at its start, and its text at its end, that may hold an address, each after its name. A reader passes them on
 * from elements that it does not know too: another edition of a list may state an address in a place of its own.
 */
export function textsWithLongWords(event: XmlEvent): { readonly line: number; readonly text: string }[] {
  const { name, attributes, line } = event.element
  const said = event.type === 'end' ? ([[name, event.text]] as const) : Object.entries(attributes)
  return said.flatMap(([key, text]) => (hasLongWord(text) ? [{ line, text: `${key} ${text}` }] : []))
}
