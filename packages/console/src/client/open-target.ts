/** Unfolds what a link leads to, so that an entry of a folded list can be reached. */
export function openTargets(): void {
  addEventListener('hashchange', openTarget)
  openTarget()
}

function openTarget(): void {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  const details = target?.closest('details') ?? null
  if (target === null || details === null) return
  details.open = true
  target.scrollIntoView({ block: 'nearest' })
  target.focus()
}
