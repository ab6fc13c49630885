import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseVerifierKey, type PublicKey } from '@cupel/signing'
import { noteSkip } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  faultOfPolicy,
  parseWitnessKey,
  UnprovenReportError,
  verifyReport,
} from '../../src/transparency/index.js'
import { witnessKeyText } from '../../src/transparency/format/cosignature.js'
import { ENOUGH_WITNESSES, NO_POLICIES, NO_WITNESS_KEYS, TOO_FEW_WITNESSES } from './made-cosignatures.js'
import { CASE_PROOF, GOOD_CASES, SHOWN_CASE } from './made-case-proof.js'
import {
  BESIDE_ARCHIVE,
  KEYS,
  madeProof,
  ORIGIN,
  OTHER_REPORTS,
  RECORDED_REPORT,
  REPORT,
} from './made-proof.js'

const SCRIPT = fileURLToPath(new URL('../../python/verify_report.py', import.meta.url))

const keys: readonly PublicKey[] = KEYS.split('\n').flatMap((line) => parseVerifierKey(line) ?? [])

interface Case {
  readonly name: string
  readonly report: Buffer
  readonly proof: Buffer
  readonly isProven: boolean
  /** The verifier keys of witnesses, and the number of them that is needed. */
  readonly witnesses?: readonly string[]
  readonly needed?: number
}
const text = (proof: string): Buffer => Buffer.from(proof)
/** Without witnesses both SDKs check every proof of made-proof.ts, as cases of conformance: the product calls the one, and the other has the file. */
const cases: readonly Case[] = [
  { name: 'a report among 300', report: REPORT, proof: text(madeProof()), isProven: true },
  { name: 'another report', report: OTHER_REPORTS[0]![1], proof: text(madeProof()), isProven: false },
  ...[...ENOUGH_WITNESSES, ...TOO_FEW_WITNESSES].map(({ name, proof, witnesses, needed }, at) => {
    const isProven = at < ENOUGH_WITNESSES.length
    return { name: `witnesses: ${name}`, report: REPORT, proof: text(proof), isProven, witnesses, needed }
  }),
  {
    name: 'no UTF-8',
    report: REPORT,
    proof: Buffer.concat([text(madeProof()), Buffer.of(0xff)]),
    isProven: false,
  },
]

const policyOf = (witnesses: readonly string[], needed: number) => ({
  witnesses: witnesses.map((line) => parseWitnessKey(line)!),
  needed,
})

/** Null if the case is proven, else the sentence of the refusal. */
async function refusalOf({ report, proof, witnesses = [], needed = 0 }: Case): Promise<string | null> {
  try {
    await verifyReport(report, proof, keys, policyOf(witnesses, needed))
    return null
  } catch (error) {
    expect(error).toBeInstanceOf(UnprovenReportError)
    return (error as Error).message
  }
}

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-verify-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function python(args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile('python3', args, { maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    )
  })
}

const hasPython = (await python(['--version'])).code === 0
if (!hasPython) noteSkip('the verifier in Python: there is no python3')

test('what is proven is proven, and every other one is refused with a sentence', async () => {
  for (const each of cases) {
    const refusal = await refusalOf(each)
    expect(refusal === null, `${each.name}: ${refusal}`).toBe(each.isProven)
    if (refusal !== null) expect(refusal, each.name).toMatch(/^[A-Z].*\.$/)
  }
})

test('a proven case says who decided what when, and an erased text is not shown', async () => {
  const { entries } = await verifyReport(REPORT, text(CASE_PROOF), keys)
  expect(entries).toMatchObject(SHOWN_CASE)
  const { entries: erased } = await verifyReport(REPORT, text(GOOD_CASES[1]![1]), keys)
  expect(erased.map((entry) => [entry.text, entry.person])).toEqual([
    [null, null],
    [null, null],
    ['Seen.', null],
  ])
})

test('those who cosigned are named with the time, and a refusal names who is missing', async () => {
  for (const { name, proof, witnesses, needed, by } of ENOUGH_WITNESSES) {
    const { cosignatures } = await verifyReport(REPORT, text(proof), keys, policyOf(witnesses, needed))
    expect(
      cosignatures.map(({ witness }) => witness),
      name,
    ).toEqual(by)
  }
  const [two] = ENOUGH_WITNESSES
  const { cosignatures } = await verifyReport(REPORT, text(two!.proof), keys, policyOf(two!.witnesses, 2))
  expect(cosignatures[1]).toEqual({
    ...{ witness: 'witness.example/w3', keyId: two!.witnesses[2]!.split('+')[1], at: 1_764_072_001 },
  })
  const one = cases.find(({ name }) => name === 'witnesses: one')!
  expect(await refusalOf(one)).toBe(
    'The checkpoint lacks cosignatures: 2 of 3 witnesses must have cosigned it, and 1 did. Missing: witness.example/w2, witness.example/w3.',
  )
})

test('a key of a witness has one form, and no witness counts twice', () => {
  for (const { witnesses } of ENOUGH_WITNESSES)
    for (const vkey of witnesses) expect(witnessKeyText(parseWitnessKey(vkey)!)).toBe(vkey)
  for (const vkey of NO_WITNESS_KEYS) expect(parseWitnessKey(vkey), vkey).toBeNull()
  for (const [witnesses, needed] of NO_POLICIES)
    expect(faultOfPolicy(policyOf(witnesses, needed)), `${needed}`).toMatch(/\.$/)
})

test.skipIf(!hasPython)('the verifier in Python says the same of every case', async () => {
  const file = join(folder, 'cases.json')
  const plain = cases.map(({ report, proof, witnesses = [], needed = 0 }) => {
    return [report.toString('base64'), proof.toString('base64'), witnesses, needed]
  })
  writeFileSync(
    file,
    JSON.stringify({ keys: KEYS, cases: plain, policies: NO_POLICIES, vkeys: NO_WITNESS_KEYS }),
  )
  const driver = `
import base64, importlib.util, json, sys
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("verify_report", sys.argv[1])
verifier = importlib.util.module_from_spec(spec)
spec.loader.exec_module(verifier)
given = json.load(open(sys.argv[2], encoding="utf-8"))
keys = verifier.read_keys(given["keys"])
answers = []
for report, proof, vkeys, needed in given["cases"]:
    try:
        policy = verifier.read_witnesses(vkeys, needed)
        verifier.verify(base64.b64decode(report), base64.b64decode(proof), keys, *policy)
        answers.append(None)
    except verifier.NotProven as error:
        answers.append(str(error))
refused = 0
for vkeys, needed in given["policies"] + [([vkey], 1) for vkey in given["vkeys"]]:
    try:
        verifier.read_witnesses(vkeys, needed)
    except ValueError:
        refused += 1
print(json.dumps({"answers": answers, "refused": refused}))
`
  const { code, stdout, stderr } = await python(['-c', driver, SCRIPT, file])
  expect(code, stderr).toBe(0)
  const { answers, refused } = JSON.parse(stdout) as { answers: (string | null)[]; refused: number }
  expect(refused).toBe(NO_POLICIES.length + NO_WITNESS_KEYS.length)
  for (const [at, { name, isProven }] of cases.entries())
    expect(answers[at] === null, `${name}: ${answers[at]}`).toBe(isProven)
})

test.skipIf(!hasPython)(
  'with an archive of the sealed reference, a report may differ only in its reference',
  async () => {
    const driver = `
import base64, importlib.util, json, sys
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("verify_report", sys.argv[1])
verifier = importlib.util.module_from_spec(spec)
spec.loader.exec_module(verifier)
recorded, plain, *reports = [base64.b64decode(each) for each in sys.argv[2:]]
print(json.dumps([verifier.differs_in_reference(recorded, each) for each in reports]))
print(json.dumps(verifier.differs_in_reference(plain, reports[0])))
`
    const reports = BESIDE_ARCHIVE.map(([report]) => report)
    const args = [RECORDED_REPORT, reports[0]!, ...reports].map((each) => each.toString('base64'))
    const { code, stdout, stderr } = await python(['-c', driver, SCRIPT, ...args])
    expect(code, stderr).toBe(0)
    expect(stdout).toBe(
      `${JSON.stringify(BESIDE_ARCHIVE.map(([, isTaken]) => isTaken)).replaceAll(',', ', ')}\nfalse\n`,
    )
  },
)

test.skipIf(!hasPython)('the verifier in Python takes three files, and ends with 0, 1 or 2', async () => {
  const file = (name: string, contents: string | Buffer): string => {
    writeFileSync(join(folder, name), contents)
    return join(folder, name)
  }
  const [report, proof, key] = [file('r.json', REPORT), file('p', madeProof()), file('k', KEYS)]
  expect(await python([SCRIPT, report, proof, '--key', key])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`leaf 7 of 300 in ${ORIGIN}`) as string,
  })
  const other = file('other.json', OTHER_REPORTS[0]![1])
  expect(await python([SCRIPT, other, proof, '--key', key])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('not one byte of it may differ') as string,
  })
  expect(await python([SCRIPT, report, proof, '--key', file('none', 'no key\n')])).toMatchObject({ code: 2 })
  expect(await python([SCRIPT, join(folder, 'missing'), proof, '--key', key])).toMatchObject({ code: 2 })

  const [{ proof: cosigned, witnesses }] = ENOUGH_WITNESSES as [(typeof ENOUGH_WITNESSES)[0]]
  const given = [SCRIPT, report, file('c', cosigned), '--key', key, '--witness', ...witnesses]
  expect(await python([...given, '--witnesses-needed', '2'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Cosigned by witness.example/w1 at 2025-11-25T12:00:00Z.') as string,
  })
  expect(await python(given)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Missing: witness.example/w2.') as string,
  })
  expect(await python([...given, '--witnesses-needed', '4'])).toMatchObject({ code: 2 })
})

test.skipIf(!hasPython)('the verifier in Python prints who decided what, and no erased text', async () => {
  const file = (name: string, contents: string | Buffer): string => {
    writeFileSync(join(folder, name), contents)
    return join(folder, name)
  }
  const printed = async (proof: string): Promise<string> => {
    const given = [file('case.json', REPORT), file('case', proof), '--key', file('case.keys', KEYS)]
    const { code, stdout, stderr } = await python([SCRIPT, ...given])
    expect(code, stderr).toBe(0)
    return stdout
  }
  const whole = await printed(CASE_PROOF)
  expect(whole).toContain('has these 3 entries. None between is left out')
  expect(whole).toContain('disposition_proposed cleared, by key 8f2k1m0a, "Ann": "erased"\n')
  expect(whole).toContain('disposition_changed cleared of entry 2, by key 8f2k1m0a: "Seen."\n')
  // A separator of lines would make one text look like two entries.
  expect(whole).toContain('\\\\ud83d 😀\\u2028"\n')
  expect(await printed(GOOD_CASES[1]![1])).toContain('by key 8f2k1m0a, [erased]: [erased]\n')
})

test('the verifier in Python is one file that imports only the standard library', () => {
  const imports = [...readFileSync(SCRIPT, 'utf8').matchAll(/^(?:import|from) +(\w+)/gm)].map(
    ([, name]) => name,
  )
  expect(imports).toEqual([
    ...[
      'argparse',
      'base64',
      'binascii',
      'datetime',
      'hashlib',
      'json',
      'os',
      're',
      'sys',
      'unicodedata',
      'zlib',
    ],
  ])
})
