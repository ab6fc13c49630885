/** Whether a text is a policy that may be put in force: its form, its bounds, and what it would do. */
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
  /** Null where an error was found. */
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
      formFault('', `It is not JSON: ${error instanceof Error ? error.message : String(error)}`),
    ])
  }
  // Of two settings with one name JSON.parse keeps the last without a word: its author may have read the first.
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
    return refused([formFault(path, `It is ${rest.join(': ')}.`)])
  }
  const findings = lintPolicy(document as PolicyDocument)
  const hasError = findings.some(({ severity }) => severity === 'error')
  return { policy: hasError ? null : compilePolicy(document as PolicyDocument), findings }
}

const refused = (findings: readonly PolicyFinding[]): CheckedPolicy => ({ policy: null, findings })

/** A JSON Pointer as settings are named elsewhere: `exposure.caps`. */
const settingAt = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')

function formFault(path: string, message: string): PolicyFinding {
  return { severity: 'error', rule: 'form', path, message }
}

/** Settings somebody might expect to move what is fixed. */
const aboutTheFloor = /floor|designat|fixed|overrid|exempt|exclu|ignore|allow|white|sanction|overall|score/i

/** A setting that is not known would silently do nothing; one that is meant to lift the floor is told why it cannot. */
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
