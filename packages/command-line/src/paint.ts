/** Colours for people, and text of others on a terminal. Standard output gets colours only on a terminal without NO_COLOR. */
import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'

export type Style = 'red' | 'yellow' | 'green' | 'gray' | 'bold' | 'dim'
export type Paint = (style: Style, text: string) => string

const plain: Paint = (_style, text) => text

/**
 * Stands for the beginning of an escape sequence until the text is written. Others do not know it, so that what they wrote never
 * becomes a sequence that a terminal obeys.
 */
const MARK = `\u001b${randomBytes(12).toString('hex')}`

/** The paint for an output; `forTerminal` makes colours of it. */
export function paintFor(
  output: { readonly isTTY?: boolean },
  environment: Readonly<NodeJS.ProcessEnv>,
): Paint {
  const isPlain = output.isTTY !== true || (environment['NO_COLOR'] ?? '') !== ''
  if (isPlain) return plain
  return (style, text) => {
    const [begin, end] = inspect.colors[style]!
    return `${MARK}${begin}m${text}${MARK}${end}m`
  }
}

/** Controls (C0 and C1), signs without width, and characters that reverse the direction of text or divide its lines. */
const OBEYED = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

/** Text of others without characters that a terminal obeys or that reverse its direction. */
export const printable = (text: string): string => text.replaceAll(OBEYED, '�')

/**
 * The form of `text` for a terminal: colours of our own, line ends, and each character that a terminal would obey as JSON spells it,
 * so that a line of JSON stays the same document.
 */
export function forTerminal(text: string): string {
  return text
    .split(MARK)
    .map((part, index) => {
      const colour = index === 0 ? '' : (/^\d+m/.exec(part)?.[0] ?? '')
      return (colour === '' ? '' : `\u001b[${colour}`) + escaped(part.slice(colour.length))
    })
    .join('')
}

const escaped = (text: string): string =>
  text.replaceAll(OBEYED, (one) => (one === '\n' ? one : one === '\t' ? '  ' : jsonEscapes(one)))

const jsonEscapes = (one: string): string =>
  one
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
