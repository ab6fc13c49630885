/** POST /v1/reports/{report_id}/case/files, and GET …/files/{version}: files of a case, sealed like its notes. */
import { hash } from 'node:crypto'
import {
  attachFile,
  judgeFile,
  MAX_ENTRIES,
  MAX_FILE_BYTES,
  MAX_FILE_NAME_LENGTH,
  MAX_FILES,
  readCase,
  readFile,
  type JudgedFile,
} from '../index.js'
import { reportCaseSchema } from '@cupel/contracts'
import { z } from 'zod'
import {
  keyedEndpoint,
  type Answer,
  type Endpoint,
  type KeyedCall,
  type LargeReads,
  refuse,
  type Refusal,
  statuses,
  text,
} from '@cupel/gate/http'
import { refusalOf, reportPath } from '@cupel/reports/routes'
import { caseExample, caseHeaders, CASES_TAG, versionField, type CaseParts } from './case-description.js'
import { changeCase, changeProblems } from './change-case.js'

/** Characters of a file in base64. */
const MAX_CONTENT_LENGTH = 4 * Math.ceil(MAX_FILE_BYTES / 3)
/** A name, a version and the names of the members. */
const MAX_OTHER_BYTES = 65_536
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

const fileBody = z
  .strictObject({
    name: text(MAX_FILE_NAME_LENGTH)
      .regex(/^[^\u0000-\u001f\u007f/\\]*$/, { error: 'A name has no path and no control characters' })
      .meta({ pattern: '^[^\\u0000-\\u001f\\u007f/\\\\]*$' })
      .describe('The name of the file, without a path. It does not decide what the file is.'),
    content: z
      .string()
      .min(1)
      .max(MAX_CONTENT_LENGTH)
      .refine((content) => content.length % 4 === 0 && BASE64.test(content), {
        error: 'Expected base64 with its padding',
      })
      .describe(`The file in base64: at most ${MAX_FILE_BYTES} bytes.`),
    version: versionField.optional(),
  })
  .meta({ id: 'NewCaseFileRequest' })

const refusedFiles: Readonly<Record<Extract<JudgedFile, { ok: false }>['because'], string>> = {
  empty: 'The file is empty.',
  unknown: 'The bytes are of no PDF, PNG, JPEG or text in UTF-8.',
  more: 'The file does not end where its format ends, or has a second format in it.',
}

export function attachCaseFile(parts: CaseParts): Endpoint {
  return keyedEndpoint<z.infer<typeof reportPath>, undefined, z.infer<typeof fileBody>>({
    operationId: 'attachCaseFile',
    method: 'POST',
    path: '/v1/reports/{report_id}/case/files',
    tag: CASES_TAG,
    summary: 'Attach a file to a case',
    description: `A PDF, a PNG, a JPEG or a text in UTF-8: its bytes decide, not its name. A case has at most ${MAX_FILES} files. The file is stored sealed, and erased together with the customer reference of the report, or with the personal data of the account. The event has its hash, so that an audit finds a changed one.`,
    access: 'read-write',
    maxStringLength: MAX_CONTENT_LENGTH,
    maxBodyBytes: MAX_CONTENT_LENGTH + MAX_OTHER_BYTES,
    pathSchema: reportPath,
    bodySchema: fileBody,
    bodyExample: { name: 'agreement.txt', content: 'VGhlIGFncmVlbWVudC4=' },
    answers: [
      {
        status: statuses.created,
        description: 'The case with the file.',
        contentType: 'application/json',
        schema: reportCaseSchema,
        headers: caseHeaders,
        example: caseExample,
      },
    ],
    problems: changeProblems,
    async handle(call, { path, body: { name, content, version } }) {
      const bytes = Buffer.from(content, 'base64')
      const judged = bytes.length > MAX_FILE_BYTES ? null : judgeFile(bytes)
      if (judged === null || !judged.ok) {
        const detail =
          judged === null ? `A file has at most ${MAX_FILE_BYTES} bytes.` : refusedFiles[judged.because]
        return refuse('invalid_request', detail, { errors: [{ pointer: '/content', detail }] })
      }
      const { mediaType } = judged
      return await changeCase(parts, call, {
        ...{ reportId: path.report_id, text: '', version, status: statuses.created },
        async change(order, seal) {
          const sealed = { name: await seal(name), sha256: await seal(hash('sha256', bytes)) }
          const stored = { ...sealed, content: await seal(bytes.toString('base64')) }
          return await attachFile(parts.database, {
            ...order,
            file: { ...stored, mediaType, bytes: bytes.length },
          })
        },
      })
    },
  })
}

const filePath = z.strictObject({
  ...reportPath.shape,
  version: z
    .string()
    .regex(/^[1-9][0-9]{0,2}$/)
    .transform(Number)
    .meta({
      description: 'The version of its entry.',
      override: { type: 'integer', minimum: 1, maximum: MAX_ENTRIES },
    }),
})

const DISPOSITION = { description: 'Always `attachment`, with a name for the file.', schema: z.string() }

export function getCaseFile(parts: CaseParts, largeReads: Pick<LargeReads, 'during'>): Endpoint {
  return keyedEndpoint<z.infer<typeof filePath>>({
    operationId: 'getCaseFile',
    method: 'GET',
    path: '/v1/reports/{report_id}/case/files/{version}',
    tag: CASES_TAG,
    summary: 'Get a file of a case',
    description:
      'The bytes that were attached, to be saved: never as a type that a browser shows. An erased file is 404 `not_found`, and so is one that a restore of the database lost.',
    access: 'read-only',
    pathSchema: filePath,
    answers: [
      {
        status: 200,
        description: 'The file.',
        contentType: 'application/octet-stream',
        schema: z.string().meta({ description: 'The bytes of the file, not text.', format: 'binary' }),
        headers: { 'Content-Disposition': DISPOSITION },
        example: 'The agreement.',
      },
    ],
    problems: ['not_found', 'report_retired', 'screening_failed', 'screening_pending', 'unavailable'],
    async handle({ caller }, { path }) {
      // It may wait for the read model, and meanwhile the turn is that of others.
      const found = await parts.reports.find(caller, path.report_id)
      if (found.kind !== 'report') return refusalOf(found.kind, path.report_id)
      // Two megabytes are opened, decoded and hashed in one piece.
      return await largeReads.during(caller, (read) => read.slice(() => fileOf(parts, caller, path)))
    },
  })
}

async function fileOf(
  { database, personalData }: CaseParts,
  caller: KeyedCall['caller'],
  { report_id: reportId, version }: z.infer<typeof filePath>,
): Promise<Answer | Refusal> {
  const { accountId, livemode } = caller
  const own = { accountId, livemode, reportId }
  const [stored, content] = await Promise.all([
    readCase(database, own),
    readFile(database, { ...own, version }),
  ])
  const file = stored?.history.find((entry) => entry.version === version)?.file ?? null
  if (file === null) return refuse('not_found', 'This entry of the case has no file.')
  const opened = content === null ? null : await personalData.openText(content, accountId)
  const bytes = opened === null ? null : Buffer.from(opened, 'base64')
  const sha256 = await personalData.openText(file.sha256, accountId)
  if (bytes === null || !BASE64.test(opened!) || hash('sha256', bytes) !== sha256)
    return refuse('not_found', 'The file was erased or lost, or is not the one that was attached.')
  const judged = judgeFile(bytes)
  const ending = judged.ok ? judged.ending : 'bin'
  return {
    status: 200,
    contentType: 'application/octet-stream',
    headers: {
      'content-disposition': `attachment; filename="cupel-case-${reportId}-${version}.${ending}"`,
    },
    body: bytes,
  }
}
