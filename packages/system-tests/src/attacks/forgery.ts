/** Attacks on the evidence: reports that the installation did not sign, and foreign keys. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cupel } from '../command.js'
import type { Attack } from './attack.js'

interface Keys {
  readonly keys: readonly { readonly verifier_key: string }[]
}

interface Verified {
  readonly is_proven: boolean
  readonly signatures: { readonly signed: number; readonly unsigned: number }
  readonly problems: readonly { readonly kind: string }[]
}

/** `cupel audit verify` as an auditor calls it who has these public keys and no record keys. */
async function audited(home: string, keys: readonly string[]): Promise<Verified & { exitCode: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-auditor-'))
  try {
    const file = join(folder, 'public-keys.txt')
    writeFileSync(file, `${keys.join('\n')}\n`)
    const args = ['audit', 'verify', '--public-keys', file, '--json']
    const { exitCode, stdout } = await cupel(home, args, {
      CUPEL_RECORD_KEYS_FILE: join(folder, 'no-record-keys.json'),
    })
    return { ...(JSON.parse(stdout) as Verified), exitCode: exitCode ?? -1 }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export const forgery: readonly Attack[] = [
  {
    name: 'reports without a signature, looked for with only public keys',
    threat: 'forgery',
    place: 'installation',
    async run({ installation: { home } }) {
      const { stdout } = await cupel(home, ['log', 'signing-keys', '--json'])
      const own = (JSON.parse(stdout) as Keys).keys.map((key) => key.verifier_key)
      const { exitCode, is_proven: isProven, signatures } = await audited(home, own)
      return {
        limit: 'none',
        measured: `${signatures.unsigned} of ${signatures.signed + signatures.unsigned}`,
        held: exitCode === 0 && isProven && signatures.signed > 0 && signatures.unsigned === 0,
      }
    },
  },
  {
    name: 'reports signed with a key that an auditor did not get from the operator',
    threat: 'forgery',
    place: 'installation',
    async run({ installation: { home } }) {
      const folder = mkdtempSync(join(tmpdir(), 'cupel-stranger-'))
      try {
        const other = await cupel(home, ['log', 'rotate-signing-key', '--json'], {
          CUPEL_SIGNING_KEYS_FILE: join(folder, 'keys.json'),
        })
        const { verifier_key: stranger } = JSON.parse(other.stdout) as { verifier_key: string }
        const { exitCode, is_proven: isProven, signatures, problems } = await audited(home, [stranger])
        const named = problems.filter(({ kind }) => kind === 'signature').length
        return {
          limit: 'each is named',
          measured: `${named} named, ${signatures.signed} taken`,
          held: exitCode === 1 && !isProven && signatures.signed === 0 && named > 0,
        }
      } finally {
        rmSync(folder, { recursive: true })
      }
    },
  },
]
