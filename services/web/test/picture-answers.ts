/**
 * Answers of the API while pictures are taken: the examples of its description, and reports and jobs of every kind and size. The times
 * and ids are fixed, so that every picture shows the same words.
 */
import { readFileSync } from 'node:fs'
import { riskLevels, type Report } from '@cupel/contracts'
import { sampleJobs, sampleReports } from '@cupel/testkit'
import type { LabelList, Watch } from '@cupel/console'
import { json, type FakeApi, type SeenCall } from './fake-api.js'

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly example?: unknown }>> }>
  >
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const description = JSON.parse(
  readFileSync(new URL('../../../docs/reference/openapi.json', import.meta.url), 'utf8'),
) as Description

/** Ids of the pages that show one report each, by the name of the sample. */
export const reportIds: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(sampleReports()).map((name, index) => [name, `9f2c4a1be07d63${50 + index}`]),
)

const reports: readonly Report[] = Object.entries(sampleReports()).map(([name, report], index) => ({
  ...report,
  report_id: reportIds[name]!,
  customer_reference: index % 2 === 0 ? report.customer_reference : 'case 2026-114',
}))
/** The content of a list: one report of every level. */
const listed = reports.slice(0, 5)
const job = sampleJobs()['large']!
const JOB_PATH = `/v1/bulk/${job.job_id}`
export const jobId = job.job_id

/** `isEmpty`: the account has no data yet. */
export const pictureAnswer =
  ({ isEmpty = false } = {}): FakeApi['answer'] =>
  (call, response) => {
    const { pathname, searchParams } = new URL(call.path, 'http://api.invalid')
    const answer = isEmpty
      ? (emptyOf(pathname) ?? specialOf(pathname, searchParams))
      : specialOf(pathname, searchParams)
    json(200, answer ?? exampleOf(call, pathname))(call, response)
  }

const NOTHING = { items: [], next_page_token: null }
const emptyOf = (path: string): unknown =>
  /^\/v1\/[a-z-]+$/.test(path) && path !== '/v1/policy' && path !== '/v1/usage' && path !== '/v1/demo'
    ? NOTHING
    : null

function specialOf(path: string, query: URLSearchParams): unknown {
  if (path === '/v1/reports') return reportPage(query)
  if (path === '/v1/lists') return { items: lists, next_page_token: null }
  if (path === '/v1/watches') return { items: watches, next_page_token: null }
  if (path === JOB_PATH) return jobAnswer()
  if (path === `${JOB_PATH}/results`) return { items: worstFirst().slice(0, 12), next_page_token: 'more' }
  return reports.find(({ report_id }) => path === `/v1/reports/${report_id}`) ?? null
}

const watch: Watch = {
  ...{
    watch_id: 'wat_0a1b2c3d4e5f60718293',
    address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
    chain: 'ETH',
  },
  ...{ reference: 'customer 4711', until: null, status: 'active', list_reasons: ['stale_labels'] },
  last_report: {
    ...{ report_id: '9f2c4a1be07d6358', level: 'green', score: 2.5 },
    generated_at: '2026-11-21T09:00:01.040Z',
  },
}
const watches: readonly Watch[] = [
  watch,
  { ...watch, watch_id: 'wat_1', reference: null, until: '2026-12-31T00:00:00.000Z', last_report: null },
]

const list: LabelList = {
  ...{ source: 'ofac_sdn', dataset: 'sdn_advanced.xml', authority: 'us-ofac', whole: true, required: true },
  ...{
    list_date: '2026-11-20',
    confirmed_at: '2026-11-21T06:00:00.000Z',
    published_at: '2026-11-20T18:00:00.000Z',
  },
  ...{ age_hours: 3, labels: 1_053, status: 'current' },
}
const lists: readonly LabelList[] = [
  list,
  {
    ...list,
    source: 'uk_ofsi',
    dataset: 'uk',
    authority: 'uk-ofsi',
    labels: 214,
    age_hours: 412,
    status: 'old',
  },
  {
    ...list,
    source: 'eu_fsf',
    dataset: 'eu',
    authority: 'eu-fsf',
    labels: 96,
    status: 'incomplete',
    required: false,
  },
  {
    ...list,
    source: 'graphsense_tagpacks',
    dataset: 'public',
    authority: null,
    whole: false,
    required: false,
    labels: 18_204,
  },
]

/** A search for an address finds two reports of it. */
function reportPage(query: URLSearchParams): unknown {
  const level = query.get('level')
  const of = level === null ? listed : listed.filter(({ risk }) => risk.level === level)
  return { items: query.get('address') === null ? of : of.slice(0, 2), next_page_token: null }
}

function jobAnswer(): unknown {
  const { results, ...unnamed } = job
  const rest = { name: 'Customers of November', ...unnamed }
  const count = (status: string): number => results.filter((result) => result.status === status).length
  const levels = riskLevels.map((level) => [
    level,
    results.filter(({ report }) => report?.risk.level === level).length,
  ])
  const counts = { completed: count('completed'), failed: count('failed'), cancelled: count('cancelled') }
  return {
    ...rest,
    ...counts,
    total: results.length,
    levels: Object.fromEntries(levels) as object,
    started_at: rest.created_at,
  }
}

const scoreOf = ({ report }: (typeof job.results)[number]): number => report?.risk.score ?? -1
const worstFirst = () => [...job.results].sort((one, other) => scoreOf(other) - scoreOf(one))

/** Returns the example of a 2xx answer in the API's description. Throws if the description does not have the call. */
function exampleOf({ method }: SeenCall, path: string): unknown {
  const entry = Object.entries(description.paths).find(([template]) =>
    new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
  )
  const operation = entry?.[1][method.toLowerCase()]
  const [, answer] =
    Object.entries(operation?.responses ?? {}).find(([status]) => status.startsWith('2')) ?? []
  const example = answer?.content?.['application/json']?.example
  if (example === undefined) throw new Error(`The description of the API has no example of ${method} ${path}`)
  return example
}
