/** Verifiers of others get the policy of the log from a command or a published file, and an archive is compared with published files. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProjector } from '@cupel/projector'
import { loadConfig } from '@cupel/kit/service'
import {
  createSigningKeys,
  openNote,
  parseVerifierKey,
  readSigningKeys,
  verifier,
  verifierKey,
} from '@cupel/signing'
import { cosigner, until } from '@cupel/testkit'
import { testEvent } from '@cupel/testkit/installation'
import { SIGNING_KEYS_FILE, transparencyFolder } from '@cupel/evidence/transparency'
import { beforeAll, afterAll, expect, test } from 'vitest'
import { explain } from '@cupel/command-line'
import { callCupel, openCommandLine, type CommandLine } from '../command-line.js'

const PREFIX = 'log.example.com/cupel'

let installation: CommandLine
let published: string
let origin: string
let keysFile: string
beforeAll(async () => {
  installation = await openCommandLine({
    ...{ CUPEL_CHECKPOINT_INTERVAL_MS: '100', CUPEL_LOG_PREFIX: PREFIX },
  })
  const { deps, folder, environment, log } = installation
  const file = join(folder, SIGNING_KEYS_FILE)
  createSigningKeys(file, PREFIX)
  keysFile = join(folder, 'keys.txt')
  writeFileSync(keysFile, readSigningKeys(file).publicKeys.map(verifierKey).join('\n'))
  const identity = await log.identity()
  origin = `${PREFIX}/transparency/${identity}`
  published = transparencyFolder(join(folder, 'checkpoints'), identity)
  const projector = await startProjector({ ...deps, config: loadConfig(environment) })
  installation.onClose(() => projector.stop())
  await addAccount('acc_1')
})
afterAll(() => installation.close())

/** Resolves once the published tree has its leaf. */
async function addAccount(accountId: string): Promise<void> {
  const data = { accountId, name: 'Account', createdBy: 'test', reason: '' }
  const before = sizeOf(published)
  await installation.append(
    testEvent('AccountCreated', accountId, { ...data, createdAt: '2026-11-23T02:00:00.000Z' }),
  )
  await until(async () => expect(sizeOf(published)).toBeGreaterThan(before))
}

function sizeOf(folder: string): number {
  try {
    return Number(readFileSync(join(folder, 'checkpoint'), 'utf8').split('\n')[1])
  } catch {
    // Nothing is published yet.
    return 0
  }
}

const policy = async (settings: Readonly<Record<string, string>> = {}) =>
  await callCupel({ ...installation.environment, ...settings }, ['log', 'policy'])

test('the policy names the log by its prefix, with the key of its checkpoints, and is the published file', async () => {
  const { out } = await policy()
  expect(`${out.trimEnd()}\n`).toBe(readFileSync(join(published, 'tlog-policy'), 'utf8'))
  const [line, quorum] = out.trimEnd().split('\n')
  expect(quorum).toBe('quorum none')
  const key = parseVerifierKey(line!.replace(/^log /, ''))!
  expect(key.name).toBe(origin)
  const note = openNote(readFileSync(join(published, 'checkpoint'), 'utf8'), verifier([key]))
  expect(note.text.split('\n')[0]).toBe(origin)
})

test('the policy has the witnesses and their quorum, and a file of them that cannot be used is refused', async () => {
  const { name, vkey } = cosigner('witness.example/w1', 3)
  const file = join(installation.folder, 'witnesses.json')
  const witnesses = [{ name, url: 'https://witness.example/', vkey }]
  writeFileSync(file, JSON.stringify({ quorum: 1, witnesses }))
  const { out } = await policy({ CUPEL_WITNESSES_FILE: file })
  expect(out.trimEnd().split('\n').slice(1)).toEqual([
    `witness ${name} ${vkey}`,
    `group installation-quorum 1 ${name}`,
    'quorum installation-quorum',
  ])
  writeFileSync(file, JSON.stringify({ quorum: 2, witnesses }))
  const { error } = await policy({ CUPEL_WITNESSES_FILE: file })
  expect(await explain(error)).toMatchObject({ exitCode: 78 })
})

test('a prefix that is not that of the first key is refused', async () => {
  expect(String((await policy({ CUPEL_LOG_PREFIX: 'other.example' })).error)).toContain(
    'a log keeps the name with which its first key was made',
  )
})

test('an archive agrees with the published files, also with longer ones, and not with older ones or those of another history', async () => {
  const archive = join(installation.folder, 'archive')
  const older = join(installation.folder, 'older')
  cpSync(published, older, { recursive: true })
  await addAccount('acc_2')
  await installation.json('archive', 'create', archive)
  const verify = async (files: string) => {
    const { out, exitCode } = await callCupel({ CUPEL_HOME: join(installation.folder, 'none') }, [
      ...['archive', 'verify', archive, '--public-keys', keysFile, '--transparency', files, '--json'],
    ])
    return { ...(JSON.parse(out) as object), exitCode }
  }
  expect(await verify(published)).toMatchObject({ exitCode: 0, is_proven: true, warnings: [] })
  await addAccount('acc_3')
  const isLonger = {
    exitCode: 0,
    warnings: [expect.stringContaining('leaves behind the end of this archive') as string],
  }
  await until(async () => expect(await verify(published)).toMatchObject(isLonger))
  const since = expect.any(String) as string
  expect(await verify(older)).toMatchObject({
    ...{ exitCode: 1, is_proven: false },
    transparency: { faults: [{ detail: expect.stringContaining('older files') as string, since }] },
  })
  const other = join(installation.folder, 'other')
  cpSync(published, other, { recursive: true })
  const tile = join(other, 'tile', 'entries', `000.p`, String(sizeOf(other)))
  const bytes = readFileSync(tile)
  bytes[bytes.length - 10]! ^= 1
  writeFileSync(tile, bytes)
  expect(await verify(other)).toMatchObject({ exitCode: 1, is_proven: false })
})
