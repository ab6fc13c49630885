/** Kinds of settings: how the text of a variable is parsed. */
import { z } from 'zod'
import { rangeFault } from './ip-range-setting.js'

export const port = z.coerce.number().int().min(0).max(65_535)
export const milliseconds = (min: number, max: number) => z.coerce.number().int().min(min).max(max)
export const messages = (usual: number, max: number) => z.coerce.number().int().min(1).max(max).default(usual)
export const flag = z.enum(['true', 'false']).transform((text) => text === 'true')
export const list = z.string().transform((text) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
)
export const ranges = list.superRefine((texts, context) => {
  for (const text of texts) {
    const fault = rangeFault(text)
    if (fault !== null) context.addIssue({ code: 'custom', message: `${text} ${fault}` })
  }
})
export const secret = z.string().min(32)
export const insecure = (peer: string) =>
  flag
    .default(false)
    .describe(
      `Allow connections without verified TLS to ${peer} on other machines. Every start warns of it; without it the start is refused.`,
    )
export const url = z.url({ protocol: /^https?$/ })
export const file = (what: string) => z.string().min(1).optional().describe(what)
/** A file that replaces a secret setting; `withSecretsOfFiles` reads it. */
export const secretFile = (name: string) => file(`File whose content is ${name}, in place of that setting.`)
