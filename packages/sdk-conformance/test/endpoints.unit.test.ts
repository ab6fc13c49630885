/** Every endpoint of the API is called by a case, which the suite of each SDK runs, or is named here with the reason. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { conformanceCases, type ExpectedRequest } from '../src/index.js'

interface Operation {
  readonly operationId: string
}
interface ApiDescription {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** Endpoints without a method in the SDKs. */
const withoutMethod: Readonly<Record<string, string>> = {
  openReportShare: 'Somebody without an account opens the link in a browser.',
  showEmailLink: 'A page for recipients of e-mail, who have no account.',
  useEmailLink: 'Recipients of e-mail and their programs call it, who have no account.',
  listReportNotes: 'getReportCase returns the same history in one answer.',
  getReportHistory: 'A page follows it; a program screens with a wait instead, and has the later report.',
  getReportChange: 'A page shows it; a program reads both reports, and an operator uses cupel explain.',
  followBulkJob: 'bulk.wait polls getBulkJob instead, and returns the same end.',
  createSession: 'The console signs people in; a program calls with a key.',
  createOidcSession: 'The console signs people in; a program calls with a key.',
  getSession: 'Describes the session of the console.',
  endSession: 'Ends the session of the console.',
  getDemo: 'For people at their first look; the console and the command line show it.',
  changeDemo: 'For people at their first look; the console and the command line change it.',
  getOpenapi: 'Generators of clients read it, without a key.',
  getDocs: 'A page for people.',
  getPostmanCollection: 'Programs that read collections fetch it, without a key.',
  getProblemPage: 'A page for people.',
  getHealth: 'A probe of the platform that runs the service.',
  getReadiness: 'A probe of the platform that runs the service.',
}

const file = new URL('../../../docs/reference/openapi.json', import.meta.url)
const { paths } = JSON.parse(readFileSync(file, 'utf8')) as ApiDescription
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId }]) => ({
    operationId,
    method: method.toUpperCase(),
    // A tile is the rest of its path.
    path: new RegExp(`^${path.replace('{tile}', '.+').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  })),
)
const requests = [...conformanceCases().values()]
  .flat()
  .flatMap((one) => (typeof one.requests === 'number' ? [] : one.requests))

const isCalled = ({ method, path }: (typeof operations)[number]): boolean =>
  requests.some((request: ExpectedRequest) => request.method === method && path.test(request.path))

test('every endpoint has a method in the SDKs, or a reason why it has none', () => {
  const missing = operations.filter((one) => !isCalled(one)).map(({ operationId }) => operationId)
  expect(missing.sort()).toEqual(Object.keys(withoutMethod).sort())
})
