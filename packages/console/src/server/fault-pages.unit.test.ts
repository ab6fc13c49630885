import { expect, test } from 'vitest'
import { render } from 'preact-render-to-string'
import { ApiProblem } from '../api/api-problem.js'
import { problemPage } from './fault-pages.js'

test('a report that an archive took over has a page with its title and where it is', () => {
  const detail = 'The reports of 2025-10 left the log for the archive /backup.'
  const shown = problemPage(new ApiProblem(410, { code: 'report_retired', detail }, undefined))
  expect(shown).toMatchObject({ status: 410, title: 'The report is in an archive' })
  expect(render(shown.body as never)).toContain(detail)
})
