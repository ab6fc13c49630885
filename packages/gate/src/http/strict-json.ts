/** Parses a body as strict JSON: its bytes are UTF-8, and no two readers can understand it differently. */
import { isUtf8 } from 'node:buffer'
import { strictJsonFault, type JsonFault, type StrictJsonLimits } from '@cupel/domain'

export type Fault = JsonFault

export type StrictJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: Fault }

/** Parses UTF-8 JSON (RFC 8259) and refuses more than malformed text: see `strictJsonFault`. */
export function parseStrictJson(bytes: Buffer, limits: StrictJsonLimits = {}): StrictJson {
  if (bytes.length === 0) return refused('', 'The body is empty; a JSON object is expected.')
  if (!isUtf8(bytes)) return refused('', 'The body is not valid UTF-8.')
  const text = bytes.toString('utf8')
  const fault = strictJsonFault(text, 'The body', limits)
  if (fault !== null) return { ok: false, fault }
  try {
    return { ok: true, value: JSON.parse(text) as unknown }
  } catch {
    // The parser's message quotes the body, which must not be in an answer or a log.
    return refused('', 'The body is not valid JSON.')
  }
}

function refused(pointer: string, detail: string): StrictJson {
  return { ok: false, fault: { pointer, detail } }
}
