/** A policy as an argument: a file, `active`, or a version that was in force. */
import { readFileSync, statSync } from 'node:fs'
import type { CompiledPolicy, PolicyFinding } from '@cupel/domain'
import { checkPolicyText, type CheckedPolicy } from '../index.js'
import { table, type CliContext, CommandError, EXIT_FAILED, EXIT_NOT_FOUND } from '@cupel/command-line'

/** A policy file is much smaller. */
const MAX_BYTES = 256 * 1024

/** Reads and checks a file. Throws CommandError if it cannot be read. */
export function checkFile(context: CliContext, file: string): CheckedPolicy {
  const path = context.path(file)
  try {
    if (statSync(path).size > MAX_BYTES)
      throw new CommandError(`${path} is larger than a policy can be.`, EXIT_FAILED)
    return checkPolicyText(readFileSync(path, 'utf8'))
  } catch (cause) {
    if (cause instanceof CommandError) throw cause
    throw new CommandError(`Cannot read ${path}.`, EXIT_NOT_FOUND, { cause })
  }
}

/** The policy of a file. Throws CommandError with the findings if there is an error. */
export function usableFile(context: CliContext, file: string): CompiledPolicy {
  const { policy, findings } = checkFile(context, file)
  if (policy !== null) return policy
  throw new CommandError(`${file} is not a valid policy.\n${findingsText(findings)}`, EXIT_FAILED)
}

export function findingsText(findings: readonly PolicyFinding[]): string {
  return table(
    findings.map(({ severity, path, message, rule }) => [
      severity,
      path === '' ? '(document)' : path,
      message,
      `[${rule}]`,
    ]),
  )
}
