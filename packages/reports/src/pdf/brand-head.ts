/** The name and the logo of the operator above the content of a PDF. */
import type { Brand } from './brand.js'
import type { Content } from './pdfmake.js'
import { paragraph, sizes } from './style.js'

/** Points. */
const LOGO_BOX = [150, 34] as const

export function brandHead(brand: Brand | null): readonly Content[] {
  if (brand === null) return []
  const { name, logo } = brand
  const image = logo?.kind === 'png' ? { image: logo.content } : { svg: logo?.content }
  const place = { width: LOGO_BOX[0], fit: LOGO_BOX, alt: name }
  const text = {
    width: '*',
    ...(paragraph(name, { fontSize: sizes.lead, bold: true, margin: [0, 10, 0, 0] }) as object),
  }
  return [
    {
      columns: [...(logo === null ? [] : [{ ...image, ...place }]), text],
      columnGap: 12,
      margin: [0, 0, 0, 10],
    },
  ]
}
