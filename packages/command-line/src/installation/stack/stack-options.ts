/** The options for the processes below the services. */
import type { Logger, Metrics } from '@cupel/contracts'
import type { HeldHome, Profile } from '@cupel/local-stack'
import type { Config, Shutdown } from '@cupel/kit/service'

export interface StackOptions {
  readonly home: HeldHome
  readonly profile: Profile
  readonly config: Config
  readonly logger: Logger
  /** Counts the operations of the log; by default they are not counted. */
  readonly metrics?: Metrics
  /** Receives a phase for everything that is started. Run it to stop, also after a failed start. */
  readonly shutdown: Shutdown
  /** On the Kafka profile. By default as many as the home was begun with, else one. */
  readonly brokers?: number | undefined
  /** `if-needed`: only if this version has schemas that were never registered. */
  readonly registry: 'always' | 'if-needed'
  /** Receives sentences about work that takes long or fails. */
  readonly note: (sentence: string) => void
}
