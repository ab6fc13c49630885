/** The settings in which two policies differ, and policies in between: one policy with a single setting of the other. */
import {
  compilePolicy,
  differences,
  policyFault,
  type CompiledPolicy,
  type PolicyDocument,
} from '@cupel/domain'

export interface ChangedSetting {
  /** Names from the root, joined by dots. A list counts as one setting. */
  readonly path: string
  readonly from: unknown
  readonly to: unknown
}

/** Ignores name and version. */
export function changedSettings(a: PolicyDocument, b: PolicyDocument): readonly ChangedSetting[] {
  const paths = differences(a, b)
    .filter((path) => path !== 'id' && path !== 'version')
    .map((path) => path.replace(/\.\d+(\..*)?$/, ''))
  return [...new Set(paths)].map((path) => ({ path, from: at(a, path) ?? null, to: at(b, path) ?? null }))
}

/** Policy `a` with one setting of `b`; null if that is not a valid policy, because the setting depends on others. */
export function withSettingOf(a: PolicyDocument, { path, to }: ChangedSetting): CompiledPolicy | null {
  const copy = structuredClone(a) as unknown as Holder
  const names = path.split('.')
  const last = names.pop()!
  let holder = copy
  for (const name of names) {
    const inner = holder[name]
    // One policy lacks the whole section, and a section is only valid as a whole.
    if (typeof inner !== 'object' || inner === null) return null
    holder = inner as Holder
  }
  if (to === null) delete holder[last]
  else holder[last] = to
  const document = copy as unknown as PolicyDocument
  return policyFault(document) === null ? compilePolicy(document) : null
}

type Holder = Record<string, unknown>

function at(document: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Holder | undefined)?.[name] ?? undefined, document)
}
