import { placesOf } from '@cupel/event-log'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import {
  recordedEntry,
  topicOf,
  topicSpecs,
  type CaseEventType,
  type DomainEvent,
  type EventData,
  type RecordedLeaf,
} from '@cupel/contracts'
import { createPdfRenderer, RENDERER_VERSION } from '@cupel/reports/pdf'
import { createSigningKeys, readSigningKeys, verifierKey } from '@cupel/signing'
import { cosigner, sampleReport, signedText } from '@cupel/testkit'
import { testEvent } from '@cupel/testkit/installation'
import {
  extendLog,
  NO_WITNESSES,
  readProof,
  SIGNING_KEYS_FILE,
  verifyReport,
} from '@cupel/evidence/transparency'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openCommandLine, type CommandLine } from '../command-line.js'
import { MAX_PDF_BYTES, verifyPdf } from '@cupel/evidence/commands'

const ID = '9f2c4a1be07d6358'
const PDF_ID = '1c77a05be2d94f31'
const AT = '2026-11-21T09:00:00.012Z'
const DOCUMENT = `{"report_id":"${ID}","note":"é \\u00e9","score":92.40}`
/** A busy machine takes long for a render. */
const HANG_MS = 600_000

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
  createSigningKeys(file(SIGNING_KEYS_FILE))
  proof = await provenReport(ID, DOCUMENT)
})
afterAll(async () => {
  await own.close()
  server.close()
})

/** Appends a report, gives it a leaf and returns its proof, signed by the keys of the installation. */
async function provenReport(reportId: string, document: string): Promise<string> {
  const { database } = own
  await own.append(
    testEvent('ReportGenerated', reportId, {
      ...{ reportId, report: document, accountId: 'acc_1', livemode: true, address: '', level: 'red' },
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
  await giveLeaves()
  const found = await readProof(database, { reportId, document })
  if (found.kind !== 'proof') throw new Error(found.kind)
  return found.text
}

async function giveLeaves(): Promise<void> {
  const { log, codec, database } = own
  const keys = readSigningKeys(file(SIGNING_KEYS_FILE))
  const names = [topicOf('ReportGenerated'), topicOf('ReportNoteAdded')]
  const topics = topicSpecs.filter(({ name }) => names.includes(name))
  await extendLog({ log, codec, database, keys, stores: [], places: await placesOf(log, topics) })
}

test('what the commands write is proven offline with the keys that they print', async () => {
  const written = await own.json('report', 'proof', ID, '--report', file('r.json'), '-o', file('r.proof'))
  expect(written).toEqual({ report_id: ID, file: file('r.proof'), bytes: Buffer.byteLength(proof) })
  expect(readFileSync(file('r.json'), 'utf8')).toBe(DOCUMENT)
  const { keys } = await own.json<{ keys: { verifier_key: string }[] }>('log', 'signing-keys')
  writeFileSync(file('keys.txt'), `# Of the operator\n${keys.map((key) => key.verifier_key).join('\n')}\n`)

  const given = [file('r.json'), file('r.proof'), '--key', file('keys.txt')]
  expect(await own.json('verify', ...given)).toMatchObject({ is_proven: true, index: 0, size: 1 })
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
    message: expect.stringContaining('is not a public key of a witness') as string,
    exitCode: 2,
  })
})

/** Appends the note, gives it a leaf, and returns the proof of the case. */
async function proofOfNote(reportId: string, document: string): Promise<string> {
  const note = { reportId, accountId: 'acc_1', livemode: true, version: 1, text: 'Harmless.', addedAt: AT }
  const data = { ...note, addedBy: '8f2k1m0a', keyName: 'Desk', actor: 'Dana', subject: '', call: null }
  await own.append(testEvent('ReportNoteAdded', reportId, data))
  await giveLeaves()
  const entry = recordedEntry({ type: 'ReportNoteAdded', data } as DomainEvent<CaseEventType>)
  const entries = [{ entry, openings: [] }]
  const found = await readProof(own.database, { reportId, document, entries })
  if (found.kind !== 'proof') throw new Error(found.kind)
  return found.text
}

describe('the PDF of a report', () => {
  const facts = sampleReport({ report_id: PDF_ID, customer_reference: 'Fall „7“' })
  const report = JSON.stringify(facts)
  const note = {
    version: 1,
    kind: 'note',
    at: AT,
    by: { key_id: '8f2k1m0a', person: 'Dana', key_name: 'Desk' },
  }
  const caseText = JSON.stringify({
    ...{ report_id: PDF_ID, address: facts.address, chain: facts.chain, level: facts.risk.level },
    ...{ score: facts.risk.score, disposition: 'open', version: 1, needs_second_person: true },
    ...{ proposal: null, assignee: null, due_on: null, opened_at: AT, changed_at: AT },
    history: [
      { ...note, text: 'Harmless.', disposition: null, previous_disposition: null, proposal_version: null },
    ],
  })
  const renderer = createPdfRenderer({ workers: 1, timeoutMs: HANG_MS })
  afterAll(() => renderer.close())
  let leaf: RecordedLeaf
  let withCase: Buffer
  let given: string[]
  beforeAll(async () => {
    const text = await provenReport(PDF_ID, report)
    const { publicKeys } = readSigningKeys(file(SIGNING_KEYS_FILE))
    const proven = await verifyReport(Buffer.from(report), Buffer.from(text), publicKeys)
    leaf = { log: proven.log, hash: proven.leafHash }
    writeFileSync(file('p.proof'), text)
    writeFileSync(file('c.proof'), await proofOfNote(PDF_ID, report))
    writeFileSync(file('p.txt'), publicKeys.map(verifierKey).join('\n'))
    given = [file('p.proof'), '--key', file('p.txt')]
    writeFileSync(file('p.pdf'), await renderer.render(report, leaf))
    withCase = Buffer.from(await renderer.renderWithCase(report, caseText, leaf))
    writeFileSync(file('case.pdf'), withCase)
  })
  const of = (name: string, ...more: string[]) => ['verify', file(name), ...given, ...more]
  /** Replaces a text in the PDF and returns the error of the command. */
  async function changed(from: string, to: string, name = 'p.pdf', ...more: string[]): Promise<unknown> {
    const text = readFileSync(file(name), 'latin1')
    expect(text).toContain(from)
    writeFileSync(file('changed.pdf'), text.replace(from, to), 'latin1')
    return (await own.cupel(...of('changed.pdf', ...more))).error
  }
  const refusal = (why: string) => ({
    message: expect.stringMatching(new RegExp(`^Not proven: [^\\n]*${why}`)) as string,
    exitCode: 1,
  })

  test('is proven with the report in it, and the answer names its leaf and the renderer', async () => {
    expect(await own.json(...of('p.pdf'))).toMatchObject({
      ...{ is_proven: true, log: leaf.log, index: 1, leaf_hash: leaf.hash, size: 2 },
      pdf: { renderer: RENDERER_VERSION, has_unproven_case: false },
    })
  })

  test('that names no leaf is refused, because the leaf follows from the record of each report', async () => {
    writeFileSync(file('early.pdf'), await renderer.render(report, null))
    expect((await own.cupel(...of('early.pdf'))).error).toMatchObject(refusal('it differs in page'))
  })

  test('with a case is refused, and taken by option with the word that nothing proves the case', async () => {
    expect((await own.cupel(...of('case.pdf'))).error).toMatchObject(refusal('With --unproven-case'))
    const taken = await own.cupel(...of('case.pdf', '--unproven-case'))
    expect(taken.error).toBeNull()
    expect(taken.out).toContain('NOT proven: the case in its appendix.')
  })

  test('with a case is proven by the proof of the case, and another note in it is refused', async () => {
    const ofCase = (pdf: string) => ['verify', file(pdf), file('c.proof'), ...given.slice(1)]
    expect(await own.json(...ofCase('case.pdf'))).toMatchObject({
      pdf: { has_proven_case: true, has_unproven_case: false },
      case: { entries: [{ version: 1, text: 'Harmless.', person: 'Dana' }] },
    })
    expect((await own.cupel(...ofCase('case.pdf'))).out).toContain('note, by key 8f2k1m0a, Dana: "Harmless."')
    const other = await renderer.renderWithCase(report, caseText.replace('Harmless', 'Harmful'), leaf)
    writeFileSync(file('other-case.pdf'), other)
    expect((await own.cupel(...ofCase('other-case.pdf'))).error).toMatchObject(
      refusal('The case in the appendix of the PDF is not the one of the proof'),
    )
  })

  test('that was changed is refused with the part that differs', async () => {
    expect(await changed('[<0001', '[<0002')).toMatchObject(refusal('it differs in page 1, at byte \\d+\\.$'))
    expect(await changed('"score":100', '"score":900')).toMatchObject(
      refusal('The report.json that is attached to the PDF, of \\d+ bytes, is not proven'),
    )
    expect(await changed('(report.json)\n/EF', '(raport.json)\n/EF')).toMatchObject(
      refusal('no report.json attached'),
    )
    expect(await changed('%PDF-', '%PDX-')).toMatchObject(refusal('The report is not the one of the leaf'))
  })

  test('of another renderer is not compared, and the answer says which release could', async () => {
    const version = '<pdf:Producer>Cupel renderer '
    const other = refusal('names renderer 3, and this release has renderer')
    expect(await changed(version + RENDERER_VERSION, `${version}3`)).toMatchObject(other)
    expect(await changed(version, '<pdf:Producer>Other renderer ')).toMatchObject(
      refusal('names no renderer'),
    )
  })

  test('of another report is refused, and so is a proof without the witnesses that are needed', async () => {
    const another = await renderer.render(JSON.stringify(sampleReport()), leaf)
    writeFileSync(file('another.pdf'), another)
    expect((await own.cupel(...of('another.pdf'))).error).toMatchObject(
      refusal('The report is not the one of the leaf'),
    )
    const { vkey } = cosigner('w1.example', 1)
    expect((await own.cupel(...of('p.pdf', '--witness', vkey))).error).toMatchObject(
      refusal('Missing: w1.example'),
    )
  })

  test('with an invalid case, or one that is too long, is refused in one sentence', async () => {
    const shown = {
      ...{ proof: readFileSync(file('p.proof')), policy: NO_WITNESSES, takesCase: true, renderer },
      keys: readSigningKeys(file(SIGNING_KEYS_FILE)).publicKeys,
    }
    const none = Buffer.from(withCase.toString('latin1').replace('"history":[', '"histori":['), 'latin1')
    await expect(verifyPdf({ ...shown, pdf: none })).rejects.toThrow(
      /^The document cannot be made again[^\n]*$/,
    )
    const other = Buffer.from(withCase.toString('latin1').replace('Harmless.', 'Harmful..'), 'latin1')
    await expect(verifyPdf({ ...shown, pdf: other })).rejects.toThrow('it differs in')
    await expect(verifyPdf({ ...shown, pdf: Buffer.alloc(MAX_PDF_BYTES + 1) })).rejects.toThrow('so many')
  })

  test('with a signature in place of a proof is read as the PDF of an audit', async () => {
    writeFileSync(file('note.proof'), 'cupel/x/audits/y\n')
    expect(
      (await own.cupel('verify', file('p.pdf'), file('note.proof'), ...given.slice(1))).error,
    ).toMatchObject(refusal('The signature file does not count'))
  })
})

test('a file that is missing or holds no key is a mistake of the call', async () => {
  const missing = await own.cupel('verify', file('none'), file('none'), '--key', file('none'))
  expect(missing.error).toMatchObject({ message: `${file('none')} cannot be read (ENOENT).`, exitCode: 2 })
  writeFileSync(file('empty'), '# nothing\n')
  const empty = await own.cupel('verify', file('empty'), file('empty'), '--key', file('empty'))
  expect(empty.error).toMatchObject({ message: `${file('empty')} holds no verifier key.`, exitCode: 2 })
})
