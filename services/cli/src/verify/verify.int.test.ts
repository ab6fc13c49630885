import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { placesOf, SIGNING_KEYS_FILE } from '@cupel/checkpoints'
import { topicOf, topicSpecs, type EventData } from '@cupel/contracts'
import { createSigningKeys, readSigningKeys } from '@cupel/signing'
import { cosigner, signedText } from '@cupel/testkit'
import { testEvent } from '@cupel/testkit/installation'
import { extendLog, readProof } from '@cupel/transparency'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCommandLine, type CommandLine } from '../../test/command-line.js'

const ID = '9f2c4a1be07d6358'
const DOCUMENT = `{"report_id":"${ID}","note":"é \\u00e9","score":92.40}`

let server: Server
let own: CommandLine
let proof: string
let file: (name: string) => string
beforeAll(async () => {
  server = createServer((request, response) =>
    response.end(request.url === `/v1/reports/${ID}/proof` ? proof : DOCUMENT),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  own = await openCommandLine({
    CUPEL_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    CUPEL_API_KEY: 'cpl_test',
  })
  file = (name) => join(own.folder, name)
  proof = await provenReport()
})
afterAll(async () => {
  await own.close()
  server.close()
})

/** A report with its leaf, signed by the keys of the installation. */
async function provenReport(): Promise<string> {
  const { log, codec, database } = own
  await own.append(
    testEvent('ReportGenerated', ID, {
      ...{ reportId: ID, report: DOCUMENT, accountId: 'acc_1', livemode: true, address: '', level: 'red' },
      ...{ canonicalAddress: '', chain: '', candidateChains: [], customerReference: null, score: 92.4 },
      categories: { sanctions: 0, darknet: 0, mixer: 0, scam: 0, stolen: 92.4, cleanExchange: 0 },
      ...{ levelReasons: [], scoreIsLowerBound: false, generatedAt: '', reportUrl: '', reportSha256: '' },
      ...{ jobId: null, jobIndex: null },
      inputs: {
        ...{ labelSetSeq: 0, labelView: '', labelStateSha256: '', labels: [], cluster: null, policyId: '' },
        ...{ policyVersion: 0, policySha256: '', chainTableVersion: '', originTableVersion: '' },
        ...{ assetTableVersion: '', scorerVersion: '', chainStage: '', chainFacts: [], exposure: null },
      },
    } as unknown as EventData['ReportGenerated']),
  )
  createSigningKeys(file(SIGNING_KEYS_FILE))
  const keys = readSigningKeys(file(SIGNING_KEYS_FILE))
  const topics = topicSpecs.filter(({ name }) => name === topicOf('ReportGenerated'))
  await extendLog({ log, codec, database, keys, folders: [], places: await placesOf(log, topics) })
  const found = await readProof(database, { reportId: ID, document: DOCUMENT })
  if (found.kind !== 'proof') throw new Error(found.kind)
  return found.text
}

test('what the commands write is proven offline with the keys that they print', async () => {
  const written = await own.json('report', 'proof', ID, '--report', file('r.json'), '-o', file('r.proof'))
  expect(written).toEqual({ report_id: ID, file: file('r.proof'), bytes: Buffer.byteLength(proof) })
  expect(readFileSync(file('r.json'), 'utf8')).toBe(DOCUMENT)
  const { keys } = await own.json<{ keys: { verifier_key: string }[] }>('log', 'signing-keys')
  writeFileSync(file('keys.txt'), `# Of the operator\n${keys.map((key) => key.verifier_key).join('\n')}\n`)

  const given = [file('r.json'), file('r.proof'), '--key', file('keys.txt')]
  const topic = topicOf('ReportGenerated')
  expect(await own.json('verify', ...given)).toMatchObject({
    is_proven: true,
    index: 0,
    size: 1,
    topic,
    offset: 0,
  })
  const said = await own.cupel('verify', ...given)
  expect(said.out).toContain('Proven: the report is leaf 0 of 1 in cupel/')

  writeFileSync(file('changed.json'), DOCUMENT.replace('92.40', '12.40'))
  const changed = await own.cupel('verify', file('changed.json'), ...given.slice(1))
  expect(changed.error).toMatchObject({
    message: expect.stringContaining('Not proven: The report is not the one of the leaf') as string,
    exitCode: 1,
  })
})

test('with witnesses a proof holds only where enough of them cosigned, and who did is told', async () => {
  const witnesses = [1, 2].map((at) => cosigner(`w${at}.example`, at))
  const text = signedText(proof)
  writeFileSync(file('w.json'), DOCUMENT)
  writeFileSync(file('w.proof'), proof + witnesses[0]!.line(text, 1_764_072_000))
  const { keys } = await own.json<{ keys: { verifier_key: string }[] }>('log', 'signing-keys')
  writeFileSync(file('k.txt'), keys.map((key) => key.verifier_key).join('\n'))
  const given = [file('w.json'), file('w.proof'), '--key', file('k.txt')]
  const of = (...needed: string[]) => [
    ...[...given, '--witness', witnesses[0]!.vkey, '--witness', witnesses[1]!.vkey, ...needed],
  ]
  expect(await own.json('verify', ...of('--witnesses-needed', '1'))).toMatchObject({
    cosignatures: [{ witness: 'w1.example', cosigned_at: '2025-11-25T12:00:00Z' }],
  })
  expect((await own.cupel('verify', ...of('--witnesses-needed', '1'))).out).toContain(
    'Cosigned by w1.example at 2025-11-25T12:00:00Z.',
  )
  expect((await own.cupel('verify', ...of())).error).toMatchObject({
    message: expect.stringContaining('Missing: w2.example.') as string,
    exitCode: 1,
  })
  expect((await own.cupel('verify', ...of('--witnesses-needed', '3'))).error).toMatchObject({ exitCode: 2 })
  expect((await own.cupel('verify', ...given, '--witness', keys[0]!.verifier_key)).error).toMatchObject({
    message: expect.stringContaining('is no public key of a witness') as string,
    exitCode: 2,
  })
})

test('a file that is missing or holds no key is a mistake of the call', async () => {
  const missing = await own.cupel('verify', file('none'), file('none'), '--key', file('none'))
  expect(missing.error).toMatchObject({ message: `${file('none')} cannot be read (ENOENT).`, exitCode: 2 })
  writeFileSync(file('empty'), '# nothing\n')
  const empty = await own.cupel('verify', file('empty'), file('empty'), '--key', file('empty'))
  expect(empty.error).toMatchObject({ message: `${file('empty')} holds no verifier key.`, exitCode: 2 })
})
