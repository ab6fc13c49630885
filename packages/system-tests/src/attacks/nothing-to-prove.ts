/** Attacks with missing evidence: a proof over no records must not succeed. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cupel, type CommandResult } from '../command.js'
import type { Attack, Outcome } from './attack.js'

const NOTHING_TO_PROVE = 4
const FAILED = 1
const proofs = ['verify', 'recompute']
const LIMIT = `is_proven false, and exit code ${NOTHING_TO_PROVE}`

/** The output of both proofs for a folder. */
async function proofsOf(home: string, ...options: string[]): Promise<CommandResult[]> {
  const said: CommandResult[] = []
  for (const proof of proofs) said.push(await cupel(home, ['audit', proof, ...options, '--json']))
  return said
}

function outcomeOf(said: readonly CommandResult[]): Outcome {
  const held = said.every(
    ({ exitCode, stdout }) =>
      exitCode === NOTHING_TO_PROVE && (JSON.parse(stdout) as { is_proven: unknown }).is_proven === false,
  )
  return { limit: LIMIT, measured: codesOf(said), held }
}

const codesOf = (said: readonly CommandResult[]): string =>
  said.map(({ exitCode }, at) => `${proofs[at]!} ends with ${exitCode}`).join(', ')

async function inFolder(work: (home: string) => Promise<Outcome>): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-nothing-'))
  try {
    return await work(join(folder, 'home'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const nothingToProve: readonly Attack[] = [
  {
    name: 'evidence of a folder without an installation',
    threat: 'forgery',
    place: 'once',
    run: () => inFolder(async (home) => outcomeOf(await proofsOf(home))),
  },
  {
    name: 'evidence of an installation without a report',
    threat: 'forgery',
    place: 'once',
    run: () =>
      inFolder(async (home) => {
        const created = await cupel(home, ['accounts', 'create', 'Empty'])
        if (created.exitCode !== 0) throw new Error(created.stderr)
        return outcomeOf(await proofsOf(home))
      }),
  },
  {
    name: 'evidence of another log than the expected one',
    threat: 'forgery',
    place: 'installation',
    async run({ installation: { home } }) {
      const said = await proofsOf(home, '--expect-log', 'embedded:of-somebody-else')
      return {
        limit: `exit code ${FAILED}`,
        measured: codesOf(said),
        held: said.every(({ exitCode }) => exitCode === FAILED),
      }
    },
  },
]
