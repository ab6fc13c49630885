/** The API description as a file: the answer of GET /openapi.json, indented so that diffs are readable. */
import { plans } from '@cupel/domain'
import { noPersonalDataKeys } from '@cupel/personal-data'
import { endpointsOf, type EndpointParts } from './endpoints.js'
import { type Endpoint, describeApi } from '@cupel/gate/http'
import { postmanCollection } from '@cupel/gate/reference'
import { importChange } from '@cupel/labels/routes'
import type { PolicyLog } from '@cupel/policy'
import { policyChange } from '@cupel/policy/routes'
import { webhooksInOrder } from '@cupel/webhooks/routes'

/** Indented JSON with a line break at the end. */
export function openapiDocument(): string {
  return `${JSON.stringify(describeApi(describedEndpoints(), webhooksInOrder), null, 2)}\n`
}

/** A collection for Postman and programs that read its format; indented JSON with a line break at the end. */
export function postmanDocument(): string {
  const description = describeApi(describedEndpoints(), webhooksInOrder)
  return `${JSON.stringify(postmanCollection(description), null, 2)}\n`
}

/** Every endpoint for its description; none can be called. */
export function describedEndpoints(): readonly Endpoint[] {
  return endpointsOf(DESCRIBED)
}

const notServed = (): never => {
  throw new Error('Endpoints made for the description cannot be called')
}

const DESCRIBED_READS = {
  reports: { find: notServed },
  tokens: { seal: notServed, open: notServed },
}

const LIST_IMPORTS: EndpointParts['listImports'] = {
  database: {} as EndpointParts['listImports']['database'],
  tokens: DESCRIBED_READS.tokens,
  needsSecondPerson: false,
}

const DESCRIBED: EndpointParts = {
  database: {} as EndpointParts['database'],
  tokens: DESCRIBED_READS.tokens,
  plansInForce: plans,
  doPeopleSignIn: false,
  secondPersonLevels: [],
  reportPageUrl: notServed,
  shareUrlOf: notServed,
  screens: { screen: notServed, failing: notServed },
  reports: { find: notServed },
  pdf: {
    brandText: '',
    render: notServed,
    renderBulk: notServed,
    renderWithCase: notServed,
    renderDossier: notServed,
    renderAudit: notServed,
    close: notServed,
  },
  reportIds: { next: notServed },
  asOfScreens: { screen: notServed, now: notServed },
  transferReads: { complete: notServed },
  readHistoryProgress: notServed,
  explainReports: notServed,
  now: notServed,
  listing: { list: notServed, tokens: { seal: notServed, open: notServed } },
  lists: { judge: notServed, tokens: { seal: notServed, open: notServed } },
  listImports: LIST_IMPORTS,
  proposedChanges: {
    ...({} as Pick<EndpointParts['proposedChanges'], 'database'>),
    furtherKinds: [
      importChange(LIST_IMPORTS),
      policyChange({ ...({} as PolicyLog), needsSecondPerson: false }),
    ],
    ...{ personalData: noPersonalDataKeys, doPeopleSignIn: false, now: notServed },
    tokens: DESCRIBED_READS.tokens,
  },
  policy: {
    ...{ policyInForce: notServed, compare: notServed },
    activations: { ...({} as PolicyLog), tokens: DESCRIBED_READS.tokens },
  },
  health: {} as EndpointParts['health'],
  keys: {
    database: {} as EndpointParts['keys']['database'],
    tokens: DESCRIBED_READS.tokens,
    personalData: noPersonalDataKeys,
    needsSecondPerson: false,
  },
  groups: null,
  bulk: {
    jobs: { submit: notServed, cancel: notServed },
    admit: notServed,
    reader: { findOverview: notServed },
    findItems: notServed,
    list: notServed,
    watch: { follow: notServed, stop: notServed },
    streams: { refusal: notServed, answer: notServed, stop: notServed },
    largeReads: { open: notServed, during: notServed, answer: notServed },
    beginResults: notServed,
    stopReading: notServed,
    resultsUrl: notServed,
  },
  webhooks: {
    // A description does not read it.
    store: {} as EndpointParts['webhooks']['store'],
    tokens: { seal: notServed, open: notServed },
    personalData: { of: notServed, openJson: notServed },
    mailLinks: { tokenOf: notServed, purposeOf: notServed },
  },
  sessions: { database: {} as EndpointParts['sessions']['database'], signIn: notServed },
  personalData: noPersonalDataKeys,
  transparency: {
    readProof: notServed,
    readLeaf: notServed,
    readRecordedLeaf: notServed,
    readCheckpoint: notServed,
    publicReads: null,
    readTile: notServed,
  },
  failing: notServed,
}
