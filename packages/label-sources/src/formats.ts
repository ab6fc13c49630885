/** Every label format by the name the operator gives it. */
import { csvFormat } from './csv.js'
import type { LabelFormat } from './label-source.js'
import { ofacAdvancedXmlFormat } from './ofac/sdn-advanced-xml.js'
import { ofacXmlFormat } from './ofac/sdn-xml.js'

const formats: readonly LabelFormat[] = [csvFormat, ofacXmlFormat, ofacAdvancedXmlFormat]

export const labelFormats: ReadonlyMap<string, LabelFormat> = new Map(
  formats.map((format) => [format.name, format]),
)
