/** Faults that a schema found, as `errors[]` of a problem: a JSON Pointer and a sentence each. */
import { escapeStep } from '@cupel/domain'
import type { z } from 'zod'
import type { Fault } from './strict-json.js'

export function faultsOf(error: z.ZodError, root = ''): Fault[] {
  return error.issues.flatMap((issue) => {
    const pointer = root + issue.path.map((step) => `/${escapeStep(String(step))}`).join('')
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({
        pointer: `${pointer}/${escapeStep(key)}`,
        detail: 'The field is not known.',
      }))
    return [{ pointer, detail: sentence(issue.message) }]
  })
}

function sentence(message: string): string {
  return message.endsWith('.') ? message : `${message}.`
}
