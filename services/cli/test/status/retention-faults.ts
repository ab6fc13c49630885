/** A repeated retention that is red. */
type Execute = (statement: string) => Promise<unknown>

export const retentionFaults = (execute: Execute) => [
  {
    name: 'a retention that is refused',
    check: null,
    alert: 'CupelRetentionLate',
    says: /Runs of `cupel retention run \/archive --keep-months 12` are refused since 20.*Z: the archive is damaged/,
    async come() {
      await execute(
        `INSERT INTO projection.retention_run (place, keep_months, failure, failed_since) VALUES ('/archive', 12, 'the archive is damaged.', now())`,
      )
    },
  },
  {
    name: 'a retention whose timer is gone',
    check: null,
    alert: 'CupelRetentionLate',
    says: /No run of `cupel retention run \/archive --keep-months 12` ended for 72 h/,
    async come() {
      await execute(
        `INSERT INTO projection.retention_run (place, keep_months, begun_at) VALUES ('/archive', 12, now() - interval '72 hours')`,
      )
    },
  },
]
