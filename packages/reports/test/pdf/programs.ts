/** Other programs that read PDFs. */
import { execFileSync } from 'node:child_process'
import { noteSkip } from '@cupel/testkit'

const has = (program: string, option: string): boolean => {
  try {
    execFileSync(program, [option], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** CI has every program, so nothing is skipped there. */
export function isPresent(programs: readonly (readonly [string, string])[], why: string): boolean {
  const missing = programs.filter(([program, option]) => !has(program, option)).map(([program]) => program)
  if (missing.length === 0) return true
  if (process.env['CI'] === 'true' || process.env['CI'] === '1')
    throw new Error(`${missing.join(', ')} is missing`)
  noteSkip(`${why}: ${missing.join(', ')} is not installed`)
  return false
}
