import { expect, test } from 'vitest'
import { asFields, asTimes } from './columns-as-fields.js'

test('columns are named as the fields of a row, and those of one word stay as they are', () => {
  expect(asFields('job_id, livemode,\n  j.report_page_url, d.state')).toBe(
    'job_id AS "jobId", livemode, j.report_page_url AS "reportPageUrl", d.state',
  )
})

test('times are read as UTC with milliseconds', () => {
  expect(asTimes('a.created_at')).toBe(
    `to_char(a.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "createdAt"`,
  )
})
