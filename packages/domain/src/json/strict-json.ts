/**
 * Strict JSON for a security boundary: text that two readers could understand differently is rejected before use. The value itself always
 * comes from JSON.parse; the scan before it only adds rejections (docs/adr/0095).
 */

/** The fault of a document: `pointer` is an RFC 6901 pointer into it, empty for the whole document. */
export interface JsonFault {
  readonly pointer: string
  readonly detail: string
}

export interface StrictJsonLimits {
  /** Strings under a pointer that it accepts may contain lone surrogates and NUL: their reader judges them. */
  readonly mayHoldAnyText?: ((pointer: string) => boolean) | undefined
  /** Characters of a string as written. */
  readonly maxStringLength?: number
}

/** Levels of arrays and objects; none of our documents has more than six. */
const MAX_DEPTH = 16
/** Members and elements in the whole document: our largest has about a thousand. */
const MAX_VALUES = 4_096
/** Characters of a string as written, escapes included: nearly all our fields are much shorter. */
const MAX_STRING_LENGTH = 16_384
/** A longer member name is not one of our fields and is not echoed. */
const MAX_NAME_LENGTH = 128
/** Literals of fewer characters are integers below 2^53 or short decimals. */
const SAFE_NUMBER_LENGTH = 15

const SPACE = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const MINUS = 0x2d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** One open array or object on the way to the current token. */
interface Frame {
  isObject: boolean
  names: Set<string> | null
  /** Name of the current member, or position of the current element. */
  step: string | number
  /** Whether the next string is a member name. */
  expectsName: boolean
}

/**
 * The first thing to reject in a JSON text (RFC 8259) besides its form, or null: duplicate member names, `__proto__`, lone surrogates and
 * NUL in strings, numbers beyond 2^53 or infinite, and documents deeper or larger than any of ours can be. Malformed text may pass:
 * JSON.parse rejects it afterwards. `subject` begins sentences about the whole document.
 */
export function strictJsonFault(
  text: string,
  subject: string,
  { mayHoldAnyText = nowhere, maxStringLength = MAX_STRING_LENGTH }: StrictJsonLimits = {},
): JsonFault | null {
  const frames: Frame[] = []
  let values = 0
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code <= SPACE) {
      at += 1
      continue
    }
    if (code === QUOTE) {
      const frame = frames.at(-1)
      const end = endOfString(text, at)
      if (end === -1) return null
      if (end - at - 1 > maxStringLength)
        return {
          pointer: pointerTo(frames),
          detail: `The string is longer than ${maxStringLength} characters.`,
        }
      const string = readString(text, at, end)
      if (string === null) return null
      const fault =
        frame?.expectsName === true
          ? enterMember(frames, frame, string)
          : stringFault(frames, string, mayHoldAnyText)
      if (fault !== null) return fault
      at = end
    } else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      if (frames.length === MAX_DEPTH)
        return { pointer: '', detail: `${subject} is nested deeper than ${MAX_DEPTH} levels.` }
      const isObject = code === OPEN_OBJECT
      frames.push({ isObject, names: null, step: 0, expectsName: isObject })
      values += 1
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
      frames.pop()
    } else if (code === COMMA) {
      values += 1
      const frame = frames.at(-1)
      if (frame?.isObject === true) frame.expectsName = true
      else if (frame !== undefined) frame.step = (frame.step as number) + 1
    } else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, at)
      if (isUnsafeNumber(text, at, end))
        return { pointer: pointerTo(frames), detail: 'The number cannot be represented exactly.' }
      at = end - 1
    }
    if (values > MAX_VALUES)
      return {
        pointer: pointerTo(frames.slice(0, -1)),
        detail: `${subject} holds more than ${MAX_VALUES} values.`,
      }
    at += 1
  }
  return null
}

function enterMember(frames: readonly Frame[], frame: Frame, name: string): JsonFault | null {
  const parent = pointerTo(frames.slice(0, -1))
  if (name.length > MAX_NAME_LENGTH) return { pointer: parent, detail: 'A member name is too long.' }
  if (!isPlainText(name)) return { pointer: parent, detail: 'A member name holds NUL or a lone surrogate.' }
  frame.step = name
  frame.expectsName = false
  if (name === '__proto__') return { pointer: pointerTo(frames), detail: 'The member name is not allowed.' }
  frame.names ??= new Set()
  if (frame.names.has(name))
    return { pointer: pointerTo(frames), detail: 'The member is given more than once.' }
  frame.names.add(name)
  return null
}

const nowhere = (): boolean => false

function stringFault(
  frames: readonly Frame[],
  string: string,
  mayHoldAnyText: (pointer: string) => boolean,
): JsonFault | null {
  if (isPlainText(string)) return null
  const pointer = pointerTo(frames)
  return mayHoldAnyText(pointer) ? null : { pointer, detail: 'The string holds NUL or a lone surrogate.' }
}

function isPlainText(text: string): boolean {
  return !LONE_SURROGATE.test(text) && !text.includes('\0')
}

/** With the u flag, a surrogate in a pair is not matched as a character of its own. */
const LONE_SURROGATE = /\p{Surrogate}/u

/** Position of the closing quote, or -1. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at += 1
  }
  return -1
}

/** The string between two quotes, escapes resolved; null if an escape is malformed. */
function readString(text: string, start: number, end: number): string | null {
  const raw = text.slice(start + 1, end)
  if (!raw.includes('\\')) return raw
  try {
    return JSON.parse(text.slice(start, end + 1)) as string
  } catch {
    // A malformed escape: JSON.parse rejects the whole document for the same reason.
    return null
  }
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** Position after the last character that can belong to a number. */
function endOfNumber(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && isNumberPart(text.charCodeAt(at))) at += 1
  return at
}

function isNumberPart(code: number): boolean {
  // + - . e E
  return isDigit(code) || code === 0x2b || code === MINUS || code === 0x2e || code === 0x65 || code === 0x45
}

function isUnsafeNumber(text: string, start: number, end: number): boolean {
  const literal = text.slice(start, end)
  if (literal.length <= SAFE_NUMBER_LENGTH && !/[eE]/.test(literal)) return false
  const value = Number(literal)
  return !Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER
}

function pointerTo(frames: readonly Frame[]): string {
  return frames.map(({ step }) => `/${escapeStep(String(step))}`).join('')
}

/** One reference token of a JSON Pointer (RFC 6901, section 3). */
export function escapeStep(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1')
}
