/** A service starts only if each of its topics has the settings that the log requires, or an operator has accepted the difference. */
import type { Logger, TopicSpec } from '@cupel/contracts'
import { installationTopics, type EventLog, type TopicFault } from '@cupel/event-log'
import { ConfigError, type Config } from '@cupel/kit/service'
import { serviceAccess, type LogService } from './service-access.js'

type OverrideSettings = Pick<Config, 'CUPEL_TOPIC_OVERRIDES' | 'CUPEL_TOPIC_PREFIX'>

/** If the topic is missing or has another number of partitions, nothing works. */
const NEVER_ACCEPTED = new Set(['topic', 'partitions'])

/** Whether CUPEL_TOPIC_OVERRIDES names the setting, for every topic or for this one. */
export function acceptsFault(config: OverrideSettings): (fault: TopicFault) => boolean {
  return ({ topic, setting }) =>
    !NEVER_ACCEPTED.has(setting) &&
    config.CUPEL_TOPIC_OVERRIDES.some(
      (name) => name === setting || `${config.CUPEL_TOPIC_PREFIX}${name}` === `${topic}/${setting}`,
    )
}

/** Throws ConfigError with one sentence for each fault of the service's topics; logs a warning for each accepted one. */
export async function requireTopics(
  service: LogService,
  {
    log,
    config,
    logger,
  }: { readonly log: EventLog; readonly config: OverrideSettings; readonly logger: Logger },
): Promise<void> {
  const found = await log.topicFaults(topicsUsedBy(service))
  for (const { sentence } of found.filter(({ isPassing }) => isPassing)) logger.warn({}, sentence)
  const faults = found.filter(({ isPassing }) => isPassing !== true)
  const accepts = acceptsFault(config)
  for (const { sentence } of faults.filter(accepts))
    logger.warn({ override: 'CUPEL_TOPIC_OVERRIDES' }, sentence)
  const refused = faults.filter((fault) => !accepts(fault))
  if (refused.length > 0)
    throw new ConfigError(
      [
        ...refused.map(({ sentence }) => sentence),
        'Run `cupel install`, which puts right what it can; CUPEL_TOPIC_OVERRIDES names settings that may differ.',
      ].join('\n'),
    )
}

function topicsUsedBy(service: LogService): readonly TopicSpec[] {
  const { reads, writes } = serviceAccess[service]
  const used = new Set([...reads, ...writes])
  return installationTopics().filter(({ name }) => used.has(name))
}
