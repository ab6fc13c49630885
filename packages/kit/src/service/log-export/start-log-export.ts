/** Connects the parts: the copies of lines, the queue, the collector. Loaded only if log lines are sent. */
import { createExportQueue } from '../tracing/export-queue.js'
import { openClient, REASONS, resourceOf, warnSometimes } from '../tracing/exporter-parts.js'
import { logsRequest } from './log-records.js'
import type { LogExport, LogExportCounters, LogExportOptions } from './log-export-options.js'

export function startLogExport(
  { config, service, logger }: LogExportOptions,
  url: string,
  counters: LogExportCounters,
): LogExport {
  const resource = resourceOf(config, service)
  const client = openClient(config, url)
  // This line is sent too, or dropped and counted: once a minute.
  const warn = warnSometimes(logger, 'Log records for the collector were dropped')
  for (const reason of REASONS) counters.dropped.inc({ reason }, 0)
  const queue = createExportQueue<string>({
    client,
    requestOf: (lines) => logsRequest(resource, lines),
    maxItems: config.OTEL_BLRP_MAX_QUEUE_SIZE,
    delayMs: config.OTEL_BLRP_SCHEDULE_DELAY,
    onExported: (records) => counters.exported.inc({}, records),
    onDropped(records, reason, detail) {
      counters.dropped.inc({ reason }, records)
      warn({ records, reason, detail })
    },
  })
  let isClosed = false
  logger.copyLines((line) => {
    // Losses at the very end do not cause a warning.
    if (isClosed) counters.dropped.inc({ reason: 'shutdown' })
    else queue.add([line])
  })
  return {
    async close() {
      isClosed = true
      await queue.close()
      client.close()
    },
  }
}
