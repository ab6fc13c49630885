/** Runs the Python verifier for many reports in one process. */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { noteSkip } from '@cupel/testkit'
import type { Shown } from './document-kinds.js'
import type { Evidence } from './evidence.js'

const SCRIPT = fileURLToPath(
  new URL('../../../../packages/evidence/python/verify_report.py', import.meta.url),
)
const DRIVER = `
import base64, importlib.util, json, sys
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("verify_report", sys.argv[1])
verifier = importlib.util.module_from_spec(spec)
spec.loader.exec_module(verifier)
keys = verifier.read_keys(open(sys.argv[2], encoding="utf-8").read())
answers = []
for report, proof in json.load(open(sys.argv[3], encoding="utf-8")):
    try:
        verifier.verify(base64.b64decode(report), base64.b64decode(proof), keys)
        answers.append(None)
    except verifier.NotProven as error:
        answers.append(str(error))
json.dump(answers, open(sys.argv[4], "w", encoding="utf-8"))
`

const run = (args: readonly string[]): Promise<Error | null> =>
  new Promise((resolve) => void execFile('python3', args, (error) => resolve(error)))

export const hasPython = (await run(['--version'])) === null
if (!hasPython) noteSkip('the verifier in Python: there is no python3')

/** Returns the sentence of each refusal; null for a proven report. */
export async function verifiedInPython(
  { decided, keysFile }: Evidence,
  shown: readonly Shown[],
): Promise<readonly (string | null)[]> {
  const [given, said] = [join(decided.folder, 'shown.json'), join(decided.folder, 'said.json')]
  const cases = shown.map(({ report, proof }) => [report.toString('base64'), proof.toString('base64')])
  writeFileSync(given, JSON.stringify(cases))
  const error = await run(['-c', DRIVER, SCRIPT, keysFile, given, said])
  if (error !== null) throw error
  return JSON.parse(readFileSync(said, 'utf8')) as (string | null)[]
}
