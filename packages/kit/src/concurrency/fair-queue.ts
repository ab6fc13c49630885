/** What waits for a turn, by owner: the owners take turns, so that the many items of one delay another owner by one item. */
export interface FairQueue<Item> {
  size(): number
  sizeOf(owner: string): number
  /** Items of an owner keep their order, but urgent ones go before its other ones. */
  add(owner: string, item: Item, options?: { readonly isUrgent?: boolean }): void
  next(): Item | undefined
}

export function createFairQueue<Item>(): FairQueue<Item> {
  const owners = new Map<string, { readonly urgent: Item[]; readonly others: Item[] }>()
  const lengthOf = (owner: string): number => {
    const items = owners.get(owner)
    return items === undefined ? 0 : items.urgent.length + items.others.length
  }
  let size = 0
  return {
    size: () => size,
    sizeOf: lengthOf,
    add(owner, item, { isUrgent = false } = {}) {
      const items = owners.get(owner) ?? { urgent: [], others: [] }
      owners.set(owner, items)
      items[isUrgent ? 'urgent' : 'others'].push(item)
      size += 1
    },
    next() {
      const [turn] = owners
      if (turn === undefined) return undefined
      const [owner, items] = turn
      const item = items.urgent.shift() ?? items.others.shift()
      const isLeft = lengthOf(owner) > 0
      // At the end of the line, behind the owners who wait.
      owners.delete(owner)
      if (isLeft) owners.set(owner, items)
      size -= 1
      return item
    },
  }
}
