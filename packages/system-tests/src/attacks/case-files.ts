/** Files that a customer attaches to a case: each is one thing, and what else it is said to be counts for nothing. */
import { crc32, deflateSync } from 'node:zlib'
import { createClient } from '../client.js'
import type { Attack } from './attack.js'
import { LABELLED } from './forged-report.js'

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')
const PDF = '%PDF-1.7\n1 0 obj\nendobj\n%%EOF\n'
const PAGE = '<html><script>alert(1)</script></html>'
const ARCHIVE = `PK\u0003\u0004${'\0'.repeat(26)}PK\u0005\u0006${'\0'.repeat(18)}`

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([latin1(name), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length)
  frame.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)])
}
const png = (text: string, behind = ''): Buffer =>
  Buffer.concat([
    latin1('\x89PNG\r\n\x1a\n'),
    ...[chunk('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])), chunk('tEXt', latin1(text))],
    ...[chunk('IDAT', deflateSync(Buffer.from([0, 0]))), chunk('IEND', Buffer.alloc(0)), latin1(behind)],
  ])
const jpeg = (comment: string, behind = ''): Buffer => {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(comment.length + 2)
  const [begin, scan] = [latin1('\xff\xd8\xff\xfe'), latin1('\xff\xda\0\x08\x01\x01\0\0\x3f\0abc\xff\xd9')]
  return Buffer.concat([begin, length, latin1(comment), scan, latin1(behind)])
}

const twofold: Readonly<Record<string, Buffer>> = {
  'a text that is a PDF': latin1(`A letter\n${PDF}`),
  'a PNG that is a PDF': png(`Comment\0${PDF}`),
  'a JPEG that is a PDF': jpeg(PDF),
  'a page between the marks of a JPEG': latin1(`\xff\xd8\xff${PAGE}\xff\xd9`),
  'a JPEG with a page behind it': jpeg('a', `${PAGE}\xff\xd9`),
  'a PNG with a page behind it': png('a\0b', PAGE),
  'a PNG with an archive in a text': png(`a\0${ARCHIVE}`),
  'a PDF with an archive in it': latin1(`%PDF-1.7\n${ARCHIVE}\n%%EOF\n`),
  'a program': latin1('\x7fELF\x02\x01'),
  'a page of UTF-16': Buffer.from(`\ufeff${PAGE}`, 'utf16le'),
  'a picture of lines': Buffer.from(`<svg onload="alert(1)">\u001b]8;;file:///\u0007`),
}
const honest: readonly Buffer[] = [
  latin1(PDF),
  png('a\0b'),
  jpeg('a'),
  Buffer.from('A text'),
  Buffer.from(PAGE),
]

/** What is no file, in the place of one. */
const noFiles: readonly unknown[] = [
  ...[
    null,
    1,
    true,
    [],
    {},
    ['VGV4dA=='],
    { toString: 'VGV4dA==' },
    '',
    '=',
    'VGV4dA',
    'VGV4dA==\n',
    'VGV4dA=='.repeat(2),
  ],
  ...['data:text/plain;base64,VGV4dA==', '/../../etc/passwd', '_-8='],
]

export const caseFiles: readonly Attack[] = [
  {
    name: `${Object.keys(twofold).length} files that are two things at once, and ${noFiles.length} values in the place of one`,
    threat: 'exposure',
    async run({ baseUrl, attacker }) {
      const client = createClient([baseUrl], attacker.key)
      try {
        const { report_id: id } = JSON.parse((await client.screen(LABELLED)).text) as { report_id: string }
        const files = `/v1/reports/${id}/case/files`
        const attach = (content: unknown) =>
          client.send('POST', files, JSON.stringify({ name: 'agreement.pdf', content }))
        const taken: string[] = []
        for (const [name, bytes] of Object.entries(twofold)) {
          const { status } = await attach(bytes.toString('base64'))
          if (status !== 400) taken.push(`${name} (${status})`)
        }
        for (const content of noFiles) {
          const { status } = await attach(content)
          if (status !== 400) taken.push(`${JSON.stringify(content)} (${status})`)
        }
        const given: string[] = []
        for (const [at, bytes] of honest.entries()) {
          await attach(bytes.toString('base64'))
          const answer = await fetch(`${baseUrl}${files}/${at + 1}`, {
            headers: { authorization: `Bearer ${attacker.key}` },
          })
          const [type, shown] = [
            answer.headers.get('content-type'),
            answer.headers.get('content-disposition'),
          ]
          const isSame = Buffer.from(await answer.arrayBuffer()).equals(bytes)
          if (isSame && type === 'application/octet-stream' && shown?.startsWith('attachment;') === true)
            given.push(shown.slice(shown.lastIndexOf('.') + 1, -1))
        }
        const kinds = given.join(', ')
        return {
          limit: 'none is taken; honest ones come back to be saved: pdf, png, jpg, txt, txt',
          measured: `taken: ${taken.join(', ') || 'none'}; came back: ${kinds}`,
          held: taken.length === 0 && kinds === 'pdf, png, jpg, txt, txt',
        }
      } finally {
        await client.close()
      }
    },
  },
]
