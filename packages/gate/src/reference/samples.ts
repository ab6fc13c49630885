/** How a program makes a call: with curl, and with the SDKs where they have a method for it. */
import type { Entry } from './description.js'

export interface Sample {
  readonly language: 'curl' | 'TypeScript' | 'Python'
  readonly code: string
}

const REPORT = "'622f9400217f0c00'"
const JOB = "'job_019aa5c87f0070008000000000000001'"
const WATCH = "'wat_0a1b2c3d4e5f60718293'"
const ENDPOINT = "'we_0a1b2c3d4e5f60718293'"
const IMPORT = "'lio_0a1b2c3d4e5f60718293'"
const LABEL = "'lbl_0a1b2c3d4e5f60718293'"
const CHANGE = "'chg_0a1b2c3d4e5f60718293'"
const KEY = "'8f2k1m0a'"
const OWN = "'0x00000000219ab540356cBB839Cbe05303d7705Fa'"
const ADDRESS = "'0x098B716B8Aaf21512996dC57EB0615e2383E2f96'"

/** The call of the method of the SDKs by operation: in TypeScript, and in Python where that differs by more than names. */
export const sdkCalls: Readonly<Record<string, readonly [typescript: string, python?: string]>> = {
  createScreen: [
    `screen(${ADDRESS}, { customerReference: 'order-4711' })`,
    `screen(${ADDRESS}, customer_reference='order-4711')`,
  ],
  createTransfer: [
    `transfers.screen({ chain: 'ETH', direction: 'incoming', from: ${ADDRESS}, to: ${OWN}, asset: 'USDT', amount: '250.5' })`,
    `transfers.screen({'chain': 'ETH', 'direction': 'incoming', 'from': ${ADDRESS}, 'to': ${OWN}, 'asset': 'USDT', 'amount': '250.5'})`,
  ],
  listTransfers: [`transfers.list({ recommendation: 'review' })`, `transfers.list(recommendation='review')`],
  getTransfer: [`transfers.get(${REPORT})`],
  getReport: [`reports.get(${REPORT})`],
  getReportPdf: [`reports.pdf(${REPORT})`],
  getReportProof: [`reports.proof(${REPORT})`],
  listReports: [`reports.list({ level: 'red' })`, `reports.list(level='red')`],
  createReportShare: [
    `reports.share(${REPORT}, { expiresInHours: 24 })`,
    `reports.share(${REPORT}, expires_in_hours=24)`,
  ],
  listReportShares: [`reports.shares(${REPORT})`],
  revokeReportShare: [`reports.revokeShare(${REPORT}, 'share_1')`],
  getReportCase: [`cases.get(${REPORT})`],
  getReportCaseProof: [`cases.proof(${REPORT})`],
  addReportNote: [`cases.addNote(${REPORT}, 'Asked the customer.')`],
  setReportDisposition: [
    `cases.setDisposition(${REPORT}, { disposition: 'cleared', reason: 'Own wallet.' })`,
    `cases.set_disposition(${REPORT}, disposition='cleared', reason='Own wallet.')`,
  ],
  listCaseAssignees: [`cases.assignees()`],
  assignReportCase: [
    `cases.assign(${REPORT}, { assignee: '8f2k1m0a', dueOn: '2026-12-01', version: 1 })`,
    `cases.assign(${REPORT}, assignee='8f2k1m0a', due_on='2026-12-01', version=1)`,
  ],
  attachCaseFile: [
    `cases.attach(${REPORT}, new TextEncoder().encode('The agreement.'), { name: 'agreement.txt' })`,
    `cases.attach(${REPORT}, b'The agreement.', name='agreement.txt')`,
  ],
  getCaseFile: [`cases.file(${REPORT}, 3)`],
  getCaseDossier: [`cases.dossier(${REPORT})`],
  listReportCases: [`cases.list({ disposition: 'open' })`, `cases.list(disposition='open')`],
  createBulkJob: [
    `bulk.submit([{ address: ${ADDRESS}, reference: 'order-4711' }], { name: 'Customers' })`,
    `bulk.submit([{'address': ${ADDRESS}, 'reference': 'order-4711'}], name='Customers')`,
  ],
  listBulkJobs: [`bulk.list()`],
  getBulkJob: [`bulk.get(${JOB})`],
  getBulkPdf: [`bulk.pdf(${JOB})`],
  cancelBulkJob: [`bulk.cancel(${JOB})`],
  openJobCases: [
    `bulk.openCases(${JOB}, { level: 'red', text: 'Red in the monthly check.' })`,
    `bulk.open_cases(${JOB}, level='red', text='Red in the monthly check.')`,
  ],
  listBulkResults: [`bulk.results(${JOB}, { sort: 'risk' })`, `bulk.results(${JOB}, sort='risk')`],
  createWatches: [
    `watches.create([{ address: ${ADDRESS}, reference: 'order-4711' }])`,
    `watches.create([{'address': ${ADDRESS}, 'reference': 'order-4711'}])`,
  ],
  listWatches: [`watches.list()`],
  getWatch: [`watches.get(${WATCH})`],
  removeWatch: [`watches.delete(${WATCH})`],
  createWebhookEndpoint: [
    `webhookEndpoints.create({ url: 'https://hooks.example.com/cupel' })`,
    `webhook_endpoints.create(url='https://hooks.example.com/cupel')`,
  ],
  listWebhookEndpoints: [`webhookEndpoints.list()`],
  getWebhookEndpoint: [`webhookEndpoints.get(${ENDPOINT})`],
  changeWebhookEndpoint: [
    `webhookEndpoints.update(${ENDPOINT}, { status: 'disabled' })`,
    `webhook_endpoints.update(${ENDPOINT}, status='disabled')`,
  ],
  deleteWebhookEndpoint: [`webhookEndpoints.delete(${ENDPOINT})`],
  rotateWebhookSecret: [`webhookEndpoints.rotateSecret(${ENDPOINT})`],
  sendWebhookTest: [`webhookEndpoints.test(${ENDPOINT})`],
  listWebhookDeliveries: [
    `webhookEndpoints.deliveries(${ENDPOINT}, { status: 'exhausted' })`,
    `webhook_endpoints.deliveries(${ENDPOINT}, status='exhausted')`,
  ],
  redeliverWebhook: [`webhookEndpoints.redeliver(${ENDPOINT}, '3f0f6e2a-9c51-5a0e-8b6e-0c8d6f7a1b2c')`],
  redeliverWebhooks: [
    `webhookEndpoints.redeliverMissed(${ENDPOINT}, { since: '2026-11-20T00:00:00Z' })`,
    `webhook_endpoints.redeliver_missed(${ENDPOINT}, since='2026-11-20T00:00:00Z')`,
  ],
  listInboxEntries: [`inbox.list({ show: 'unread' })`, `inbox.list(show='unread')`],
  getUnreadCount: [`inbox.unread()`],
  markInboxEntries: [`inbox.mark(['3f0f6e2a-9c51-5a0e-8b6e-0c8d6f7a1b2c'])`],
  listLists: [`lists.list()`],
  searchLabels: [`lists.labels({ address: ${ADDRESS} })`, `lists.labels(address=${ADDRESS})`],
  stateOwnLabel: [
    `ownLabels.state({ address: ${OWN}, decision: 'allow', reason: 'our own wallet' })`,
    `own_labels.state(address=${OWN}, decision='allow', reason='our own wallet')`,
  ],
  listOwnLabels: [`ownLabels.list()`],
  getOwnLabel: [`ownLabels.get(${LABEL})`],
  removeOwnLabel: [`ownLabels.remove(${LABEL})`],
  listListRefreshes: [`lists.refreshes()`],
  refreshList: [`lists.refresh('sdn')`],
  createListImport: [
    `listImports.create({ format: 'ofac-xml', dataset: 'sdn' })`,
    `list_imports.create(format='ofac-xml', dataset='sdn')`,
  ],
  listListImports: [`listImports.list()`],
  getListImport: [`listImports.get(${IMPORT})`],
  addListImportPart: [
    `listImports.addPart(${IMPORT}, 0, await readFile('sdn.xml'))`,
    `list_imports.add_part(${IMPORT}, 0, Path('sdn.xml').read_bytes())`,
  ],
  checkListImport: [`listImports.check(${IMPORT})`],
  confirmListImport: [
    `listImports.confirm(${IMPORT}, { acceptRemovals: 12, reason: 'delisted today' })`,
    `list_imports.confirm(${IMPORT}, accept_removals=12, reason='delisted today')`,
  ],
  getLedgerState: [`ledger.get()`],
  listLedgerImports: [`ledger.imports({ chain: 'ETH' })`, `ledger.imports(chain='ETH')`],
  listApiKeys: [`keys.list()`],
  createApiKey: [
    `keys.create({ scope: 'read-write', name: 'screening' })`,
    `keys.create(scope='read-write', name='screening')`,
  ],
  getApiKey: [`keys.get(${KEY})`],
  changeApiKey: [
    `keys.update(${KEY}, { allowedIps: ['203.0.113.0/24'] })`,
    `keys.update(${KEY}, allowed_ips=['203.0.113.0/24'])`,
  ],
  rotateApiKey: [`keys.rotate(${KEY})`],
  revokeApiKey: [`keys.revoke(${KEY})`],
  proposeChange: [
    `proposedChanges.propose({ issue_key: { scope: 'read-write' }, reason: 'the new service' })`,
    `proposed_changes.propose({'issue_key': {'scope': 'read-write'}, 'reason': 'the new service'})`,
  ],
  listProposedChanges: [`proposedChanges.list({ show: 'open' })`, `proposed_changes.list(show='open')`],
  getProposedChange: [`proposedChanges.get(${CHANGE})`],
  decideProposedChange: [`proposedChanges.decide(${CHANGE}, 'confirm')`],
  listAccounts: [`accounts.list()`],
  createAccount: [`accounts.create('Example Exchange')`],
  getPeople: [`accounts.people()`],
  getPolicy: [`policy.get()`],
  tryPolicy: [
    `policy.whatIf(await cupel.policy.get(), { maxReports: 20 })`,
    `policy.what_if(cupel.policy.get(), max_reports=20)`,
  ],
  listPolicyActivations: [`policy.activations()`],
  getInstallationHealth: [`installationHealth()`],
  getUsage: [`usage()`],
  listKeyUsageDays: [`usageDays({ from: '2026-11-01' })`, `usage_days(from_='2026-11-01')`],
  listAuditLog: [`auditLog.list()`],
  getLogCheckpoint: [`log.checkpoint()`],
  getLogTile: [`log.tile('0/000')`],
  listChains: [`chains.list()`],
}

/** Python’s names of methods and resources. */
const snakeCase = (call: string): string =>
  call.replace(/^[\w.]+/, (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))

/** None for a message: the service sends it. */
export function samplesOf(entry: Entry): readonly Sample[] {
  if (!entry.path.startsWith('/')) return []
  const call = sdkCalls[entry.operation.operationId]
  const curl: Sample = { language: 'curl', code: curlOf(entry) }
  if (call === undefined) return [curl]
  const [typescript, python = snakeCase(typescript)] = call
  // A list is read item by item.
  const isList =
    /^(?:\w+\.)?(?:list|usageDays|refreshes|imports|activations|results|deliveries|shares)\(/.test(typescript)
  return [
    curl,
    {
      language: 'TypeScript',
      code: `import { Cupel } from '@cupel/sdk'\n\nconst cupel = new Cupel()\n${
        isList
          ? `for await (const item of cupel.${typescript}) console.log(item)`
          : `console.log(await cupel.${typescript})`
      }`,
    },
    {
      language: 'Python',
      code: `from cupel import Cupel\n\nwith Cupel() as cupel:\n    ${
        isList ? `for item in cupel.${python}:\n        print(item)` : `print(cupel.${python})`
      }`,
    },
  ]
}

/** Values of the parameters of paths. */
export const pathExamples: Readonly<Record<string, string>> = {
  report_id: '622f9400217f0c00',
  earlier_id: '622f9400217f0bff',
  transfer_id: '622f9400217f0c00',
  job_id: 'job_019aa5c87f0070008000000000000001',
  watch_id: 'wat_0a1b2c3d4e5f60718293',
  endpoint_id: 'we_0a1b2c3d4e5f60718293',
  delivery_id: '3f0f6e2a-9c51-5a0e-8b6e-0c8d6f7a1b2c',
  tile: '0/000',
  version: '3',
  code: 'invalid_address',
  share_id: 'share_1',
  import_id: 'lio_0a1b2c3d4e5f60718293',
  label_id: 'lbl_0a1b2c3d4e5f60718293',
  change_id: 'chg_0a1b2c3d4e5f60718293',
  key_id: '8f2k1m0a',
  token: 'cpl_share_…',
  link: 'u-…',
}

function curlOf({ method, path, operation }: Entry): string {
  const { security, parameters = [], requestBody, responses } = operation
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => pathExamples[name] ?? whole)
  const needed = parameters.filter((one) => one.in === 'query' && one.required === true)
  const query = needed.map(({ name }) => `${name}=…`).join('&')
  const types = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content = {} }]) => Object.keys(content))
  const isFile = types.some((type) => /pdf|octet-stream/.test(type))
  const body = requestBody?.content['application/json']?.example
  const parts = [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "$CUPEL_BASE_URL${filled}${query === '' ? '' : `?${query}`}"`,
    ...(security?.length === 0 ? [] : ['-H "Authorization: Bearer $CUPEL_API_KEY"']),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
    ...(isFile ? ['-o file'] : []),
  ]
  return parts.join(' \\\n  ')
}

/** As one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
