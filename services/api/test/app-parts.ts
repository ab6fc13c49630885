import { noMetrics, silentLogger } from '@cupel/contracts'
import type { AdmissionGate } from '@cupel/gate/access'
import { createBodyBudget, createTransport, strangerBudgetLimits } from '@cupel/kit/http-edge'
import { noPersonalDataKeys } from '@cupel/personal-data'
import type { Database } from '@cupel/postgres'
import type { AppParts } from '../src/app.js'
import { createTraffic } from '@cupel/gate/http'

type GivenParts = Pick<AppParts, 'endpoints'> & Partial<AppParts> & { readonly admit: AdmissionGate['admit'] }

/** The parts of the frame around the given endpoints, without a database: the frame judges calls as in the product. */
export function appParts({ admit, ...given }: GivenParts): AppParts {
  return {
    gate: {
      admit,
      recognises: () => Promise.resolve(true),
      noteFailure: () => null,
      isAvailable: () => true,
      look: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
    transport: createTransport({ trustedProxies: [], isEncrypted: false }),
    idempotent: { database: {} as Database, leaseMs: 1000, logger: silentLogger },
    bodies: createBodyBudget(noMetrics),
    strangers: createBodyBudget(noMetrics, strangerBudgetLimits),
    disk: { refusal: () => null },
    traffic: createTraffic(),
    personalData: noPersonalDataKeys,
    audit: { record: () => Promise.resolve(true) },
    logger: silentLogger,
    metrics: noMetrics,
    ...given,
  }
}
