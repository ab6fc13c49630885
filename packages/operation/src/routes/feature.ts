/** Every endpoint that tells how the installation is. */
import type { Endpoint } from '@cupel/gate/http'
import { getHealth } from './get-health.js'
import { getInstallationHealth } from './get-installation-health.js'
import { getReadiness } from './get-readiness.js'
import type { HealthParts } from './installation-health.js'

interface Parts {
  /** Names of the readiness checks that fail. */
  readonly failing: () => readonly string[]
  readonly health: HealthParts
}

export const operationFeature = ({ failing, health }: Parts): readonly Endpoint[] => [
  getInstallationHealth(health),
  getHealth(),
  getReadiness(failing),
]
