export { FlowParties } from './flow-parties.js'
export { FlowPicture } from './flow-picture.js'
export { type ShownReport, readDocument } from './read-document.js'
export { ReportView } from './report-view.js'
