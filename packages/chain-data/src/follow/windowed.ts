/** Several pieces of work at once, their results in order. */

/** At most `inFlight` results are kept or awaited at a time, so memory is bounded. The first failure ends the rest. */
export async function* windowed<Item, Result>(
  items: Iterable<Item>,
  inFlight: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const running: Promise<Result>[] = []
  const begin = (item: Item): void => {
    const result = work(item)
    // The next await reports a failure; until then the rejection must not count as unhandled.
    result.catch(() => undefined)
    running.push(result)
  }
  for (const item of items) {
    if (running.length >= inFlight) yield await running.shift()!
    begin(item)
  }
  while (running.length > 0) yield await running.shift()!
}
