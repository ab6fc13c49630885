/** All label formats by name. */
import { euFsfXmlFormat } from './authority/eu-fsf-xml.js'
import { ofsiCsvFormat } from './authority/ofsi-csv.js'
import { ofsiXmlFormat } from './authority/ofsi-xml.js'
import { ukSanctionsXmlFormat } from './authority/uk-sanctions-xml.js'
import { unXmlFormat } from './authority/un-xml.js'
import { csvFormat } from './csv.js'
import { explorerJsonFormat } from './explorer-json.js'
import { ftmFormat } from './ftm.js'
import type { LabelFormat } from './label-source.js'
import { ofacAdvancedXmlFormat } from './ofac/sdn-advanced-xml.js'
import { ofacCsvFormat } from './ofac/sdn-csv.js'
import { ofacXmlFormat } from './ofac/sdn-xml.js'
import { tagpackFormat } from './tagpack.js'

const formats: readonly LabelFormat[] = [
  csvFormat,
  ofacXmlFormat,
  ofacAdvancedXmlFormat,
  ofacCsvFormat,
  ukSanctionsXmlFormat,
  ofsiCsvFormat,
  ofsiXmlFormat,
  euFsfXmlFormat,
  unXmlFormat,
  tagpackFormat,
  ftmFormat,
  explorerJsonFormat,
]

export const labelFormats: ReadonlyMap<string, LabelFormat> = new Map(
  formats.map((format) => [format.name, format]),
)
