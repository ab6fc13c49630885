// Whether the service in this container can do its work, for HEALTHCHECK: exit code 0 or 1, and what fails.
const TIMEOUT_MS = 3_000

try {
  const url = `http://127.0.0.1:${process.env.CUPEL_METRICS_PORT}/readyz`
  const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  const { checks } = await answer.json()
  const failing = checks
    .filter(({ ok }) => !ok)
    .map(({ name, detail }) => [name, detail].filter(Boolean).join(': '))
  process.stdout.write(`${answer.ok ? 'ready' : `not ready: ${failing.join('; ')}`}\n`)
  process.exitCode = answer.ok ? 0 : 1
} catch (error) {
  process.stdout.write(`not ready: ${error.message}\n`)
  process.exitCode = 1
}
