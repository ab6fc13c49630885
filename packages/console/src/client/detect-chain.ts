/** Says under the field of an address, as it is typed, which chain it fits or what is wrong with it. */

/** Time without a keystroke after which the text is examined. */
const PAUSE_MS = 150

interface Detected {
  readonly kind: 'empty' | 'fits' | 'name' | 'fault'
  readonly text: string
}

export function detectChains(): void {
  for (const input of document.querySelectorAll<HTMLInputElement>('input[data-detect]')) watch(input)
}

function watch(input: HTMLInputElement): void {
  const told = document.getElementById(input.getAttribute('aria-describedby') ?? '')
  if (told === null) return
  const chain = input.form?.querySelector<HTMLSelectElement>('select[name=chain]') ?? null
  const before = told.textContent
  let timer: ReturnType<typeof setTimeout> | undefined
  let asked = 0
  const ask = async (): Promise<void> => {
    const number = (asked += 1)
    const query = new URLSearchParams({ address: input.value, chain: chain?.value ?? '' })
    const reply = await fetch(`${input.dataset['detect'] ?? ''}?${query.toString()}`).catch(() => null)
    const isJson = reply?.headers.get('content-type')?.startsWith('application/json') === true
    // Without an answer the field works as it does without a script.
    if (reply === null || !reply.ok || !isJson || number !== asked) return
    const { kind, text } = (await reply.json()) as Detected
    if (number !== asked) return
    told.dataset['kind'] = kind
    told.textContent = kind === 'empty' ? before : text
  }
  const soon = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => void ask(), PAUSE_MS)
  }
  input.addEventListener('input', soon)
  chain?.addEventListener('change', soon)
  if (input.value !== '') soon()
}
