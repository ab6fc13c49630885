// Generated from the label formats by `npm run generate`. Do not edit.

export const formatTitles: Readonly<Record<string, string>> = {
  "ofac-xml": "OFAC, SDN.XML",
  "ofac-advanced-xml": "OFAC, SDN_ADVANCED.XML",
  "ofac-csv": "OFAC, SDN.CSV",
  "uk-sanctions-xml": "UK sanctions list, XML",
  "ofsi-csv": "UK OFSI, CSV",
  "ofsi-xml": "UK OFSI, XML",
  "eu-fsf-xml": "EU financial sanctions, XML",
  "un-xml": "UN Security Council, XML",
  "csv": "CSV with the columns of Cupel",
  "tagpack": "GraphSense TagPack, YAML",
  "ftm": "FollowTheMoney (OpenSanctions), JSON lines",
  "explorer-json": "Explorer tags, JSON"
}
