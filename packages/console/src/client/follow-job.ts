/** Follows a job on its page: says whether its counters are live, updates them while it runs, and loads the page anew once it has ended. */

interface JobState {
  readonly status: string
  readonly total: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
}

/** Wait after a refusal, which an EventSource does not retry. */
const RELOAD_AFTER_MS = 10_000
const LIVE = 'Live. This page shows the results when the job has ended.'
const NOT_LIVE =
  'Not live: the connection to the job is down. The page tries again; the counts are those of before.'

export function followJobs(): void {
  const box = document.querySelector<HTMLElement>('[data-follow]')
  const url = box?.dataset['follow']
  if (box === null || url === undefined) return
  const source = new EventSource(url)
  source.addEventListener('open', () => hint(box, LIVE))
  source.addEventListener('progress', ({ data }) => show(box, JSON.parse(String(data)) as JobState))
  source.addEventListener('ended', () => {
    source.close()
    location.reload()
  })
  source.addEventListener('error', () => {
    hint(box, NOT_LIVE)
    if (source.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), RELOAD_AFTER_MS)
  })
}

function hint(box: HTMLElement, text: string): void {
  const place = box.querySelector('[data-follow-hint]')
  if (place !== null) place.textContent = text
}

function show(box: HTMLElement, { status, total, completed, failed, cancelled }: JobState): void {
  const done = completed + failed + cancelled
  const bar = box.querySelector('progress')
  if (bar !== null) bar.value = done
  const text = box.querySelector('[data-follow-text]')
  const word = status === 'queued' ? 'Waiting' : 'Running'
  if (text !== null)
    text.textContent = `${word}: ${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} done`
}
