/** The rows of the operator's reference, from the table of settings. */
import { z } from 'zod'
import { settings } from './config.js'

/** One row of the operator's reference. */
export interface SettingReference {
  readonly name: string
  readonly description: string
  readonly defaultValue: string
}

export function settingsReference(): SettingReference[] {
  const defaults = z.object(settings).safeParse({}).data as Record<string, unknown>
  return Object.entries(settings).map(([name, setting]) => ({
    name,
    description: (setting as z.ZodType).description ?? '',
    defaultValue: render(defaults[name]),
  }))
}

function render(value: unknown): string {
  if (value === undefined) return '—'
  if (Array.isArray(value)) return value.length === 0 ? '—' : value.join(',')
  return value === '' ? '(empty)' : String(value)
}
