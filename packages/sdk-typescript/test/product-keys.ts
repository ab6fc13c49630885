/** The keys that product cases name; they belong to a new account. */
import { cupel } from '@cupel/system-tests'

export async function issuedKeys(home: string): Promise<Record<string, string>> {
  const answered = async (args: readonly string[]): Promise<Record<string, unknown>> => {
    const { exitCode, stdout, stderr } = await cupel(home, [...args, '--json'])
    if (exitCode !== 0) throw new Error(`cupel ${args.join(' ')} failed:\n${stderr}`)
    return JSON.parse(stdout) as Record<string, unknown>
  }
  const { account_id: account } = await answered(['accounts', 'create', 'SDK'])
  const issue = async (...more: string[]): Promise<string> => {
    const plan = ['--account', String(account), '--plan', 'enterprise']
    return String((await answered(['keys', 'create', ...plan, ...more]))['key'])
  }
  const sandbox = ['--environment', 'test']
  const [live, test, readOnly] = await Promise.all([
    issue('--scope', 'read-write'),
    issue('--scope', 'read-write', ...sandbox),
    issue('--scope', 'read-only', ...sandbox),
  ])
  // Well-formed, but never issued.
  return { live, test, read_only: readOnly, none: `${test.slice(0, -8)}AAAAAAAA` }
}
