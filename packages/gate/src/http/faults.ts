/** Faults that a schema found, as `errors[]` of a problem: a JSON Pointer and a sentence each. */
import { escapeStep } from '@cupel/domain'
import { z } from 'zod'
import { nearestIn } from './nearest-name.js'
import type { Fault } from './strict-json.js'

/** @param schema of which the value is not; an unknown field is told which of its fields was meant */
export function faultsOf(error: z.ZodError, schema: z.ZodType): Fault[] {
  const nearest = nearestIn(schema instanceof z.ZodObject ? Object.keys(schema.shape) : [])
  return error.issues.flatMap((issue) => {
    const pointer = issue.path.map((step) => `/${escapeStep(String(step))}`).join('')
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({
        pointer: `${pointer}/${escapeStep(key)}`,
        detail: notKnown(issue.path.length === 0 ? nearest(key) : null),
      }))
    return [{ pointer, detail: sentence(issue.message) }]
  })
}

const notKnown = (meant: string | null): string =>
  meant === null ? 'The field is not known.' : `The field is not known: did you mean \`${meant}\`?`

function sentence(message: string): string {
  return message.endsWith('.') ? message : `${message}.`
}
