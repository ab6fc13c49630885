/** What an authority says of a designation, as evidence shows it. */
import type { Evidence, LabelSanction } from '@cupel/contracts'

export function shownSanction(sanction: LabelSanction | null): Evidence['sanction'] {
  if (sanction === null) return null
  const { list, programmes, entityId, aliases, designatedOn } = sanction
  return {
    list,
    programmes: [...programmes],
    entity_id: entityId,
    aliases: [...aliases],
    designated_on: designatedOn,
  }
}
