/** What was in force, and the settings of another policy in words. */
import type { PolicyDocument } from '@cupel/domain'
import { visibleText } from '@cupel/reports/document'
import { settingName, settingSections, valueText } from './policy-settings.js'

export interface PolicyChange {
  readonly path: string
  readonly from: unknown
  readonly to: unknown
}

export interface PolicyActivation {
  readonly policy: { readonly id: string; readonly version: number; readonly sha256: string }
  readonly activated_at: string
  readonly activated_by: string
  readonly reason: string
}

/** `levels.red`, 70, 80 → `Levels: red changes from 70 to 80.` */
export function changeText({ path, from, to }: PolicyChange): string {
  const name = settingName(path)
  const [before, after] = [valueText(from), valueText(to)].map(visibleText)
  if (from === null) return `${visibleText(name)} is new: ${after}.`
  return to === null
    ? `${visibleText(name)} goes; it was ${before}.`
    : `${visibleText(name)} changes from ${before} to ${after}.`
}

/** What the setting means, by the published schema; empty where nobody says. */
export function meaningOf(document: PolicyDocument, path: string): string {
  return (
    settingSections(document)
      .flatMap(({ settings }) => settings)
      .find((setting) => setting.path === path)?.meaning ?? ''
  )
}
