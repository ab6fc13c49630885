/** Strict UTF-8 decoding: a label file with any other byte is rejected. */
import { TextDecoder } from 'node:util'
import { SetRefusedError, type ByteStream } from './label-source.js'

/** Yields decoded chunks; a leading byte order mark is dropped. Throws SetRefusedError at the first undecodable byte. */
export async function* decodeUtf8(input: ByteStream): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let line = 1
  for await (const chunk of input) {
    const text = decode(decoder, chunk, line)
    line += countLineBreaks(text)
    if (text !== '') yield text
  }
  const rest = decode(decoder, undefined, line)
  if (rest !== '') yield rest
}

/** The whole text, for formats whose parser needs it at once. Rejects a file beyond the limit. */
export async function readText(input: ByteStream, maxBytes: number): Promise<string> {
  const parts: string[] = []
  let bytes = 0
  const counted = async function* (): ByteStream {
    for await (const chunk of input) {
      bytes += chunk.byteLength
      if (bytes > maxBytes)
        throw new SetRefusedError('malformed', null, `The file is larger than ${maxBytes} bytes`)
      yield chunk
    }
  }
  for await (const text of decodeUtf8(counted())) parts.push(text)
  return parts.join('')
}

/** Lines without their line breaks, numbered from 1. The last line needs no break. */
export async function* readLines(
  input: ByteStream,
  maxLineLength: number,
): AsyncGenerator<{ readonly line: number; readonly text: string; readonly terminated: boolean }> {
  let pending = ''
  let line = 0
  for await (const chunk of decodeUtf8(input)) {
    pending += chunk
    let start = 0
    for (let end = pending.indexOf('\n'); end >= 0; end = pending.indexOf('\n', start)) {
      line += 1
      yield { line, text: withoutCarriageReturn(pending.slice(start, end)), terminated: true }
      start = end + 1
    }
    pending = pending.slice(start)
    if (pending.length > maxLineLength) {
      throw new SetRefusedError('malformed', line + 1, `the line is longer than ${maxLineLength} characters`)
    }
  }
  if (pending !== '') yield { line: line + 1, text: withoutCarriageReturn(pending), terminated: false }
}

function decode(decoder: TextDecoder, chunk: Uint8Array | undefined, line: number): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
  } catch (error) {
    throw new SetRefusedError(
      'undecodable',
      null,
      `The file is not UTF-8: undecodable bytes on or after line ${line}`,
      {
        cause: error,
      },
    )
  }
}

function countLineBreaks(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

const withoutCarriageReturn = (text: string): string => (text.endsWith('\r') ? text.slice(0, -1) : text)
