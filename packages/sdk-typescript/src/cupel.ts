import { asOfScreeningOf, objectOf, reportOf } from './answers.js'
import { InvalidArgumentError } from './errors.js'
import type { ItemList } from './item-list.js'
import { Accounts } from './resources/accounts.js'
import { AuditLog } from './resources/audit-log.js'
import { Bulk } from './resources/bulk.js'
import { Cases } from './resources/cases.js'
import { Chains } from './resources/chains.js'
import { Inbox } from './resources/inbox.js'
import { Keys } from './resources/keys.js'
import { Ledger } from './resources/ledger.js'
import { ListImports } from './resources/list-imports.js'
import { Lists } from './resources/lists.js'
import { listOf, timeText, type ListOptions, type Time } from './resources/list-of.js'
import { Log } from './resources/log.js'
import { OwnLabels } from './resources/own-labels.js'
import { Policy } from './resources/policy.js'
import { ProposedChanges } from './resources/proposed-changes.js'
import { Reports } from './resources/reports.js'
import { Transfers } from './resources/transfers.js'
import { WebhookEndpoints } from './resources/webhook-endpoints.js'
import { Watches } from './resources/watches.js'
import { settingsFrom, type CupelOptions } from './settings.js'
import type { CallOptions, KeyedCallOptions } from './transport/call.js'
import { createTransport, type Transport } from './transport/transport.js'
import type { AsOfScreening, InstallationHealth, KeyUsageDay, Report, Usage } from './generated/models.js'
import { secondsOf } from './wait-seconds.js'
import { webhooks } from './webhooks/verify.js'

export interface ScreenOptions extends KeyedCallOptions {
  /** Chain code, in any case; without it the chain is detected from the address. */
  readonly chain?: string | undefined
  /** Your own reference, returned in the report; at most 128 characters. */
  readonly customerReference?: string | undefined
}

export interface ReportOptions extends ScreenOptions {
  /**
   * Whole seconds, at most 20, that you wait for stages of the screening that are late, such as the search of the ledger. Default: as long
   * as each stage has. `coverage.missing_stages` of the report names what is missing then.
   */
  readonly waitSeconds?: number | undefined
}

export interface UsageDayOptions extends ListOptions {
  /** Only days that begin at this time or later. */
  readonly from?: Time | undefined
  /** Only days that begin before this time. */
  readonly to?: Time | undefined
}

/** A client of one installation, with one key. It keeps no state between calls; use one for all calls. */
export class Cupel {
  readonly reports: Reports
  readonly transfers: Transfers
  readonly bulk: Bulk
  readonly webhookEndpoints: WebhookEndpoints
  readonly keys: Keys
  readonly accounts: Accounts
  readonly auditLog: AuditLog
  readonly cases: Cases
  readonly chains: Chains
  readonly inbox: Inbox
  readonly ledger: Ledger
  readonly lists: Lists
  readonly listImports: ListImports
  readonly log: Log
  readonly ownLabels: OwnLabels
  readonly policy: Policy
  readonly proposedChanges: ProposedChanges
  readonly watches: Watches
  readonly webhooks = webhooks
  readonly #transport: Transport

  /** By default the key is CUPEL_API_KEY and the URL is CUPEL_BASE_URL. Throws a ConfigurationError if one is missing. */
  constructor(options: CupelOptions = {}) {
    const settings = settingsFrom(options)
    this.#transport = createTransport(settings)
    this.reports = new Reports(this.#transport)
    this.transfers = new Transfers(this.#transport)
    this.bulk = new Bulk(this.#transport, settings)
    this.webhookEndpoints = new WebhookEndpoints(this.#transport)
    this.keys = new Keys(this.#transport)
    this.accounts = new Accounts(this.#transport)
    this.auditLog = new AuditLog(this.#transport)
    this.cases = new Cases(this.#transport)
    this.chains = new Chains(this.#transport)
    this.inbox = new Inbox(this.#transport)
    this.ledger = new Ledger(this.#transport)
    this.lists = new Lists(this.#transport)
    this.listImports = new ListImports(this.#transport)
    this.log = new Log(this.#transport)
    this.ownLabels = new OwnLabels(this.#transport)
    this.policy = new Policy(this.#transport)
    this.proposedChanges = new ProposedChanges(this.#transport)
    this.watches = new Watches(this.#transport)
  }

  /**
   * Screens one address and returns its report. Decide on `risk.level`, and treat a level that you do not know like `red`.
   * Every call makes a new report. A call that is repeated after a lost answer returns the report of the first attempt.
   */
  async screen(address: string, options: ReportOptions = {}): Promise<Report> {
    if (typeof address !== 'string') throw new InvalidArgumentError('The address must be a text.')
    const body = { address, chain: options.chain, customer_reference: options.customerReference }
    const waitSeconds = secondsOf(options.waitSeconds)
    const call = { method: 'POST', path: '/v1/screen', body, repeat: 'keyed', waitSeconds, options } as const
    return reportOf(await this.#transport(call), { address })
  }

  /**
   * Screens an address with the lists, policy and ledger of a past moment. The result is not a report: it has no id, and nothing is
   * stored. Providers of chain data cannot be queried about the past, so their data is left out.
   */
  async screenAsOf(
    address: string,
    asOf: string | Date,
    options: ScreenOptions = {},
  ): Promise<AsOfScreening> {
    if (typeof address !== 'string') throw new InvalidArgumentError('The address must be a text.')
    const moment = asOf instanceof Date ? momentOf(asOf) : asOf
    if (typeof moment !== 'string' || moment === '')
      throw new InvalidArgumentError('The moment must be an RFC 3339 time or a Date.')
    const { chain, customerReference } = options
    const body = { address, chain, customer_reference: customerReference, as_of: moment }
    const call = { method: 'POST', path: '/v1/screen', body, repeat: 'keyed', options } as const
    return asOfScreeningOf(await this.#transport(call), address)
  }

  /** The account's usage of its plan, and its limits. */
  async usage(options: CallOptions = {}): Promise<Usage> {
    const call = { method: 'GET', path: '/v1/usage', repeat: 'safe', options } as const
    return objectOf(await this.#transport(call)) as unknown as Usage
  }

  /** The calls of each key on each day, the newest day first. */
  usageDays(options: UsageDayOptions = {}): ItemList<KeyUsageDay> {
    const query = { from: timeText(options.from), to: timeText(options.to) }
    return listOf(this.#transport, '/v1/usage/days', options, query)
  }

  /** For operators: the health of the installation. What could not be read is unknown, never healthy. */
  async installationHealth(options: CallOptions = {}): Promise<InstallationHealth> {
    const call = { method: 'GET', path: '/v1/installation-health', repeat: 'safe', options } as const
    return objectOf(await this.#transport(call)) as unknown as InstallationHealth
  }
}

/** Empty if the Date holds no time. */
const momentOf = (date: Date): string => (Number.isNaN(date.getTime()) ? '' : date.toISOString())
