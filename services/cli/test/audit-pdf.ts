/** The PDF of an audit, on the installation of another test file: one of its own would cost much. It has five reports. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SIGNING_KEYS_FILE } from '@cupel/evidence/transparency'
import type { AuditStatement } from '@cupel/reports/document'
import { createSigningKeys, readSigningKeys, rotateSigningKey, verifierKey } from '@cupel/signing'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Decided } from './decided.js'

const VERIFIER = fileURLToPath(new URL('../../../packages/evidence/python/verify_report.py', import.meta.url))
const SPKI_OF_ED25519 = '302a300506032b6570032100'

export function describeAuditPdf(decided: () => Decided): void {
  describe('the PDF of an audit', () => {
    const file = (name: string): string => join(decided().folder, name)
    const read = (name: string): Buffer => readFileSync(file(name))
    const verify = (pdf: string, signature = `${pdf}.sig`, keys = 'keys.txt') =>
      decided().cupel('verify', file(pdf), file(signature), '--key', file(keys))
    const python = (pdf: string, signature = `${pdf}.sig`, keys = 'keys.txt') =>
      spawnSync('python3', [VERIFIER, file(pdf), file(signature), '--key', file(keys)], { encoding: 'utf8' })
    const statementOf = (name: string): AuditStatement => {
      const [, json] = /\nstream\n(\{"format":"cupel-audit-statement-1".*?)\nendstream/s.exec(
        read(name).toString('utf8'),
      )!
      return JSON.parse(json!) as AuditStatement
    }
    const refused = async (why: string, ...args: Parameters<typeof verify>): Promise<void> => {
      const { error } = await verify(...args)
      expect(error).toMatchObject({ exitCode: 1, message: expect.stringContaining(why) as string })
      expect(python(...args)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('Not proven') as string,
      })
    }

    beforeAll(async () => {
      createSigningKeys(file(SIGNING_KEYS_FILE))
      const { keys } = await decided().json<{ keys: { verifier_key: string }[] }>('log', 'signing-keys')
      writeFileSync(file('keys.txt'), keys.map(({ verifier_key: line }) => `${line}\n`).join(''))
    })

    test('has the answer of the command attached, and is signed by the installation', async () => {
      const { pdf, ...answer } = await decided().json<Record<string, unknown>>(
        'audit',
        'recompute',
        '--pdf',
        file('a.pdf'),
      )
      const { signer } = readSigningKeys(file(SIGNING_KEYS_FILE))
      expect(pdf).toMatchObject({ file: file('a.pdf'), signature: file('a.pdf.sig'), key_id: signer.key.id })
      expect(read('a.pdf').toString('latin1')).toMatch(/^%PDF-1\.7/)
      const statement = statementOf('a.pdf')
      expect({ log: statement.log, ...statement.answer }).toEqual(answer)
      expect(statement).toMatchObject({
        ...{
          installation: signer.key.name,
          signed_by: signer.key.id,
          unsigned_because: null,
          checks_macs: true,
        },
        asked: { archive: null, levels: ['A', 'B', 'C'], since: null, report_id: null },
        answer: { scorers: [{ reports: 5 }], policies: [{ reports: 5 }] },
      })
      const { out, error } = await verify('a.pdf')
      expect(error).toBeNull()
      expect(out).toContain(`Signed: the PDF is as the key ${signer.key.id} of ${signer.key.name} signed it`)
      expect(out).toContain('levels A, B, C: 5 reports, nothing differs.')
      expect(python('a.pdf')).toMatchObject({
        status: 0,
        stderr: '',
        stdout: expect.stringContaining(
          `signed it, made on ${statement.made_at} for the log ${statement.log}.`,
        ) as string,
      })
      const witness = 'witness.example+3cd6b1d8+BP0BAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB'
      const cosigned = [
        'verify',
        file('a.pdf'),
        file('a.pdf.sig'),
        '--key',
        file('keys.txt'),
        '--witness',
        witness,
      ]
      expect((await decided().cupel(...cosigned)).error).toMatchObject({ exitCode: 2 })
    })

    test('is verified with only sha256sum and openssl', () => {
      const [text, lines] = read('a.pdf.sig').toString('utf8').split('\n\n') as [string, string]
      const [, pdfLine] = text.split('\n')
      const sum = execFileSync('sha256sum', [file('a.pdf')], { encoding: 'utf8' }).split(' ')[0]!
      expect(pdfLine).toBe(`pdf ${read('a.pdf').length} ${sum}`)
      writeFileSync(file('signed.txt'), `${text}\n`)
      writeFileSync(file('signature.bin'), Buffer.from(lines.trim().split(' ')[2]!, 'base64').subarray(4))
      const { bytes } = readSigningKeys(file(SIGNING_KEYS_FILE)).signer.key
      writeFileSync(file('key.der'), Buffer.concat([Buffer.from(SPKI_OF_ED25519, 'hex'), bytes]))
      const keyed = [
        '-pubin',
        '-keyform',
        'DER',
        '-inkey',
        file('key.der'),
        '-rawin',
        '-in',
        file('signed.txt'),
      ]
      const said = execFileSync('openssl', [
        'pkeyutl',
        '-verify',
        ...keyed,
        '-sigfile',
        file('signature.bin'),
      ])
      expect(said.toString()).toContain('Success')
    })

    test('that was changed is refused, and what was changed is named', async () => {
      const pdf = read('a.pdf')
      const changed = (at: number, name: string): void => {
        const copy = Buffer.from(pdf)
        copy[at]! ^= 1
        writeFileSync(file(name), copy)
      }
      changed(pdf.indexOf('"is_proven":') + 12, 'answer.pdf')
      await refused('The statement attached to the PDF is not the signed one.', 'answer.pdf', 'a.pdf.sig')
      changed(pdf.length - 200, 'pages.pdf')
      await refused('something else in the PDF was changed', 'pages.pdf', 'a.pdf.sig')
      changed(0, 'no-pdf')
      await refused('The PDF was changed', 'no-pdf', 'a.pdf.sig')
      writeFileSync(file('longer.pdf'), Buffer.concat([pdf, Buffer.from('\n%')]))
      await refused('The PDF was changed', 'longer.pdf', 'a.pdf.sig')
      const signature = read('a.pdf.sig').toString('utf8')
      writeFileSync(file('changed.sig'), signature.replace(/pdf \d/, 'pdf 9'))
      await refused('The signature of the key', 'a.pdf', 'changed.sig')
      await refused('The signature file does not count.', 'a.pdf', 'a.pdf')
      expect((await verify('a.pdf', 'none.sig')).error).toMatchObject({ exitCode: 2 })
    })

    test('says that nothing is proven where nothing is, and is signed all the same', async () => {
      const args = ['--level', 'A', '--min-reports', '9', '--pdf', file('b.pdf')]
      const less = await decided().cupel('audit', 'recompute', ...args)
      expect(less).toMatchObject({ error: null, exitCode: 1 })
      expect((await verify('b.pdf')).out).toContain('level A: 5 reports, NOT proven.')
    })

    test('does not count with the signature of another one, or a key that was not given', async () => {
      await refused('or the signature is of another one', 'b.pdf', 'a.pdf.sig')
      createSigningKeys(file('other-keys.json'))
      writeFileSync(file('other.txt'), verifierKey(readSigningKeys(file('other-keys.json')).signer.key))
      await refused('does not know', 'b.pdf', 'b.pdf.sig', 'other.txt')
    })

    test('that an earlier key signed counts as long as the operator gives that key', async () => {
      const next = rotateSigningKey(file(SIGNING_KEYS_FILE))
      writeFileSync(file('next.txt'), verifierKey(next))
      expect((await verify('a.pdf')).error).toBeNull()
      await refused('does not know', 'a.pdf', 'a.pdf.sig', 'next.txt')
    })

    test('without keys is not signed, says so and why, and leaves no signature of an earlier one', async () => {
      const keys = read(SIGNING_KEYS_FILE)
      rmSync(file(SIGNING_KEYS_FILE))
      try {
        expect(existsSync(file('a.pdf.sig'))).toBe(true)
        const said = await decided().cupel('audit', 'recompute', '--pdf', file('a.pdf'))
        expect(said).toMatchObject({ error: null, exitCode: 0 })
        expect(said.notes).toContain(
          'which is not signed. The signing keys of the installation cannot be read here (ENOENT).',
        )
        expect(existsSync(file('a.pdf.sig'))).toBe(false)
        expect(statementOf('a.pdf')).toMatchObject({ signed_by: null, installation: null })
        // Damaged keys are a fault of the installation, and no reason to go on without a signature.
        writeFileSync(file(SIGNING_KEYS_FILE), '{}')
        const damaged = await decided().cupel('audit', 'recompute', '--pdf', file('damaged.pdf'))
        expect(damaged.error).toMatchObject({ exitCode: 78 })
        expect(existsSync(file('damaged.pdf'))).toBe(false)
      } finally {
        writeFileSync(file(SIGNING_KEYS_FILE), keys)
        chmodSync(file(SIGNING_KEYS_FILE), 0o600)
      }
    })

    test('that cannot be written is refused before the work, and one that fails at the end leaves the answer', async () => {
      const nowhere = await decided().cupel('audit', 'recompute', '--pdf', file('none/a.pdf'))
      expect(nowhere).toMatchObject({ out: '', error: { exitCode: 2 } })
      const many = await decided().cupel('audit', 'recompute', '--limit', '100001', '--pdf', file('a.pdf'))
      expect(many.error).toMatchObject({
        exitCode: 2,
        message: expect.stringContaining('smaller --limit') as string,
      })
      const folder = await decided().cupel('audit', 'recompute', '--pdf', decided().folder)
      expect(folder.error).toMatchObject({
        exitCode: 1,
        message: expect.stringContaining('cannot be written') as string,
      })
      expect(folder.out).toContain('Nothing differs.')
    })
  })
}
