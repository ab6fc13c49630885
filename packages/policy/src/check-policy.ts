/** Checks whether a text is a policy that may be put in force: its form, its bounds, and its effects. */
import { policySchemaFaults } from '@cupel/contracts'
import {
  compilePolicy,
  lintPolicy,
  policyFault,
  strictJsonFault,
  type CompiledPolicy,
  type PolicyDocument,
  type PolicyFinding,
} from '@cupel/domain'

export interface CheckedPolicy {
  /** Null if the check found an error. */
  readonly policy: CompiledPolicy | null
  /** Errors first. */
  readonly findings: readonly PolicyFinding[]
}

/** Checks the JSON text of a policy; never throws. */
export function checkPolicyText(text: string): CheckedPolicy {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (error) {
    return refused([
      formFault('', `The text is not JSON: ${error instanceof Error ? error.message : String(error)}`),
    ])
  }
  // JSON.parse silently keeps the last of two settings with one name, so such a text is refused.
  const doubtful = strictJsonFault(text, 'The policy')
  if (doubtful !== null) return refused([formFault(settingAt(doubtful.pointer), doubtful.detail)])
  const faults = policySchemaFaults(document)
  if (faults.length > 0) {
    return refused(
      faults.flatMap(({ path, message, unknown }) =>
        unknown.length === 0
          ? [formFault(path, `${message}.`)]
          : unknown.map((name) => unknownSetting(path === '' ? name : `${path}.${name}`)),
      ),
    )
  }
  const fault = policyFault(document as PolicyDocument)
  if (fault !== null) {
    const [path = '', ...rest] = fault.split(': ')
    return refused([formFault(path, `The value is ${rest.join(': ')}.`)])
  }
  const findings = lintPolicy(document as PolicyDocument)
  const hasError = findings.some(({ severity }) => severity === 'error')
  return { policy: hasError ? null : compilePolicy(document as PolicyDocument), findings }
}

const refused = (findings: readonly PolicyFinding[]): CheckedPolicy => ({ policy: null, findings })

/** Converts a JSON Pointer to the notation of settings: `exposure.caps`. */
const settingAt = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')

function formFault(path: string, message: string): PolicyFinding {
  return { severity: 'error', rule: 'form', path, message }
}

/** Names that suggest a setting for the fixed floor of live designations. */
const aboutTheFloor = /floor|designat|fixed|overrid|exempt|exclu|ignore|allow|white|sanction|overall|score/i

/** An unknown setting would silently do nothing. If its name suggests that it changes the floor, the message explains the floor. */
function unknownSetting(path: string): PolicyFinding {
  const name = path.split('.').at(-1)!
  if (aboutTheFloor.test(name))
    return {
      severity: 'error',
      rule: 'fixed-floor',
      path,
      message:
        'There is no such setting. A live designation by an authority’s own list scores 100 and is red under every policy.',
    }
  return { severity: 'error', rule: 'unknown-setting', path, message: 'There is no such setting.' }
}
