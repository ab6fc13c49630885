/** The looks of pages for daily work; `looks.full` adds all others. */
import { AxeBuilder } from '@axe-core/playwright'
import { expect, test } from 'vitest'
import { pagesOf } from '../src/pages/index.js'
import { otherPages, testLooks, workPages } from './looks.js'

/** What the console gives besides pages: files, a stream, and the answer to a script. */
const files = [
  ...['/audit/calls.csv', '/audit/calls.ndjson', '/usage/days.csv', '/screen/detect'],
  ...['/bulk/{job_id}/events', '/bulk/{job_id}/results.csv', '/bulk/{job_id}/results.json'],
  ...['/bulk/{job_id}/results.xlsx', '/bulk/{job_id}/summary.pdf'],
  ...['/cases/{report_id}/dossier.pdf', '/cases/{report_id}/files/{version}'],
  ...['/reports/{report_id}/pdf', '/reports/{report_id}/case-proof', '/reports/{report_id}/history'],
]

test('every page is looked at in a browser', () => {
  const looked = [...workPages, ...otherPages].filter(({ status }) => status !== 404).map(({ page }) => page)
  const shown = pagesOf(null).filter(({ method }) => method === 'GET')
  expect([...new Set([...looked, ...files])].sort()).toEqual(shown.map(({ path }) => path).sort())
})

const open = testLooks(workPages)

test('the navigation of an operator is one line on a desk, and its menu fits a phone', async () => {
  const desk = await open({ page: '/audit' }, { viewport: { width: 1_280, height: 900 } })
  const boxes = await desk
    .locator('.brand, .sections > ul > li, .person')
    .evaluateAll((all) =>
      all.map((one) => one.getBoundingClientRect()).map(({ top, bottom }) => ({ top, bottom })),
    )
  expect(boxes.length).toBe(11)
  expect(Math.max(...boxes.map(({ top }) => top))).toBeLessThan(
    Math.min(...boxes.map(({ bottom }) => bottom)),
  )
  await desk.context().close()

  const phone = await open({ page: '/audit' }, { viewport: { width: 390, height: 900 } })
  await phone.locator('.sections summary').focus()
  await phone.keyboard.press('Enter')
  const links = phone.getByRole('navigation', { name: 'Sections' }).getByRole('link')
  await phone.getByRole('link', { name: 'Health' }).waitFor()
  expect(await links.count()).toBe(17)
  expect(await phone.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  await phone.keyboard.press('Tab')
  expect(await phone.evaluate('document.activeElement.textContent')).toBe('Labels')
  const { violations } = await new AxeBuilder({ page: phone }).analyze()
  expect(violations.map(({ id }) => id)).toEqual([])
  await phone.context().close()
})
