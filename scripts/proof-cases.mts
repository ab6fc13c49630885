/** Conformance cases of proofs: every way to break a proof. */
import {
  BAD_CASES,
  ENTRY_AS_REPORT,
  GOOD_CASES,
} from '../packages/evidence/test/transparency/made-case-proof.js'
import {
  BAD,
  BAD_REFERENCES,
  GOOD,
  GOOD_REFERENCES,
  KEYS,
  OTHER_REPORTS,
  REPORT,
} from '../packages/evidence/test/transparency/made-proof.js'
import { parseVerifierKey } from '../packages/signing/src/index.js'
import { verifyReport, type ProvenEntry } from '../packages/evidence/src/transparency/index.js'

const keys = KEYS.split('\n').flatMap((line) => parseVerifierKey(line) ?? [])

const caseOf = (name: string, report: Buffer, proof: string, expect: object) => ({
  ...{ name, server: [], requests: [], waits_ms: [] },
  steps: [
    {
      call: 'proofs.verify',
      args: [{ base64: report.toString('base64') }, { base64: Buffer.from(proof).toString('base64') }],
      options: { public_keys: KEYS },
      expect,
    },
  ],
})

async function accepted(name: string, report: Buffer, proof: string) {
  const { log, index, size, leafHash, keyId, customerReference, entries } = await verifyReport(
    report,
    Buffer.from(proof),
    keys,
  )
  return caseOf(`a proof holds: ${name}`, report, proof, {
    equals: {
      ...{ log, index, size, leaf_hash: leafHash },
      ...{ key_id: keyId, customer_reference: customerReference },
      entries: entries.map(entryOf),
    },
  })
}

const entryOf = ({ keyId, previousDisposition, proposalVersion, ...entry }: ProvenEntry) => ({
  ...{ ...entry, key_id: keyId, previous_disposition: previousDisposition },
  proposal_version: proposalVersion,
})

const refused = (name: string, report: Buffer, proof: string) =>
  caseOf(`a proof does not hold: ${name}`, report, proof, {
    error: { class: 'ProofVerificationError', is_a: ['CupelError'] },
  })

export async function proofCases(): Promise<string> {
  const [[, good]] = GOOD as [(typeof GOOD)[number]]
  const cases = await Promise.all([
    ...GOOD.map(([name, proof]) => accepted(name, REPORT, proof)),
    ...GOOD_CASES.map(([name, proof]) => accepted(name, REPORT, proof)),
    ...GOOD_REFERENCES.map((each) => accepted(...each)),
    ...BAD.map(([name, proof]) => refused(name, REPORT, proof)),
    ...BAD_CASES.map(([name, proof]) => refused(`with ${name}`, REPORT, proof)),
    refused('an entry of a case as a report', ENTRY_AS_REPORT.report, ENTRY_AS_REPORT.proof.toString()),
    ...OTHER_REPORTS.map(([name, report]) => refused(`of another report: ${name}`, report, good)),
    ...BAD_REFERENCES.map(([name, ...given]) => refused(`with ${name}`, ...given)),
  ])
  return `${JSON.stringify(cases, null, 2)}\n`
}
