/**
 * A report for a person to read: the answers to a reader's questions, in their order, in words. Every text is final, so that a PDF and a
 * page that show this model say the same.
 */

/** A named value. */
export interface Field {
  readonly label: string
  readonly value: string
  /** An address, an id or a hash: shown in full, in a fixed-width font. */
  readonly isCode?: boolean
  /** http or https only. */
  readonly href?: string
  /** An amount in full, of which a page shows a few digits first. */
  readonly isAmount?: boolean
  /** What a code is called: it stands before the code. */
  readonly words?: string
}

/** A statement with its code in the report. */
export interface Point {
  readonly code: string
  readonly text: string
}

export interface Table {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** Columns with amounts in full, of which a page shows a few digits first. */
  readonly amountColumns?: readonly number[]
}

export interface Verdict {
  /** The level in the report; a later version may have others. */
  readonly level: string
  readonly levelWord: string
  /** Empty for an address that is not cleared and has no points: they would look like good news. */
  readonly score: string
  /** The whole verdict in one sentence. */
  readonly headline: string
  readonly meaning: string
  /** The recommended action, with its title. */
  readonly action: Field
  /** What limits the verdict: a lower bound, a conflict, the sandbox. */
  readonly cautions: readonly string[]
  readonly subject: readonly Field[]
}

export interface Bar {
  readonly category: string
  readonly label: string
  /** 0 to 100. */
  readonly points: number
  readonly text: string
  /** False for the positive signal, which is never subtracted. */
  readonly isRisk: boolean
}

export interface EvidenceView {
  /** Of its place in the report: the nodes of the picture name it. */
  readonly id: string
  readonly category: string
  readonly categoryWord: string
  readonly headline: string
  readonly points: string
  readonly isDecisive: boolean
  /** Null if the item counts. */
  readonly notCountedBecause: string | null
  readonly fields: readonly Field[]
  readonly counterparties: Table | null
  readonly steps: Table | null
}

/** One part of the value of one asset in one direction. */
export interface FlowRow {
  readonly direction: string
  readonly category: string
  readonly text: string
  readonly value: string
  readonly valueUsd: string
  readonly share: string
  readonly counterparties: Table | null
}

/** What a node stands for; each kind is drawn in another shape and has its own sign. */
export type FlowKind =
  | 'subject'
  /** Designated by an authority. */
  | 'designated'
  /** Another risk. */
  | 'risk'
  /** A known clean service. */
  | 'service'
  | 'issued'
  /** A service without a label. */
  | 'hub'
  /** Attributed to nobody, or not counted. */
  | 'unknown'
  /** An address that the value passed through. */
  | 'between'
  /** All parties of a side that have no node of their own. */
  | 'others'
  /** What the report did not read. */
  | 'unread'

/** One address behind a node. */
export interface FlowParty {
  readonly address: string
  /** Empty without a name. */
  readonly entity: string
  readonly value: string
  readonly valueUsd: string
  /** Empty if the report does not count them. */
  readonly transfers: string
}

export interface FlowNode {
  readonly id: string
  readonly side: 'in' | 'subject' | 'out'
  readonly kind: FlowKind
  /** Category of the part; empty for nodes that stand for none. */
  readonly category: string
  /** As drawn: it may be shortened. */
  readonly title: string
  /** Drawn below the title, one line each. */
  readonly lines: readonly string[]
  /** Whole, for a list below the picture. */
  readonly name: string
  /** What it is, in words. */
  readonly what: string
  /** Amounts of every asset in full. */
  readonly value: string
  readonly valueUsd: string
  /** Between which days its transfers lie; empty if the report does not say. */
  readonly dates: string
  readonly parties: readonly FlowParty[]
  /** Addresses that the report counts and does not name. */
  readonly unnamed: number
  /** Ids of the items of evidence that have transfers of it. */
  readonly evidence: readonly string[]
}

/** Value that moves from one node to another. */
export interface FlowEdge {
  readonly from: string
  readonly to: string
  readonly category: string
  /** From or to whom, how much, in dollars, and when. */
  readonly text: string
  /** Width of its line, from 0 (not known) to 1 (the largest of the picture). */
  readonly weight: number
  /** Passed through addresses that the picture does not show, or is not known. */
  readonly isIndirect: boolean
}

/** Sources on one side of the screened address, destinations on the other, and up to one address between. */
export interface FlowPicture {
  readonly nodes: readonly FlowNode[]
  readonly edges: readonly FlowEdge[]
  /** How to read it, one sentence each. */
  readonly notes: readonly string[]
}

/** The recommendation for the transfer whose counterparty the report is about. */
export interface TransferView {
  readonly title: string
  /** allow, review or reject; a later version may have others. */
  readonly recommendation: string
  readonly headline: string
  readonly reasons: readonly Point[]
  readonly fields: readonly Field[]
  readonly fundsTitle: string
  /** Null if the ledger says nothing of funds in this asset. */
  readonly funds: Table | null
}

export interface ReportDocument {
  readonly language: string
  readonly title: string
  readonly reportId: string
  /** Code of the chain of the address. */
  readonly chain: string
  readonly reportUrl: string
  /** RFC 3339, UTC. */
  readonly generatedAt: string
  readonly verdict: Verdict
  /** Null for an address that was screened by itself. */
  readonly transfer: TransferView | null
  readonly bars: readonly Bar[]
  readonly unknown: { readonly title: string; readonly intro: string; readonly points: readonly Point[] }
  readonly why: {
    readonly title: string
    readonly intro: string
    /** The items with the most points, one sentence each. */
    readonly summaryTitle: string
    readonly summary: readonly string[]
    readonly counted: readonly EvidenceView[]
    readonly notCountedTitle: string
    readonly notCounted: readonly EvidenceView[]
    /** Names how many items the report leaves out; null if it leaves out none. */
    readonly omitted: string | null
  }
  readonly flow: {
    readonly title: string
    readonly intro: string
    readonly head: readonly string[]
    readonly rows: readonly FlowRow[]
    readonly picture: FlowPicture | null
  }
  readonly facts: { readonly title: string; readonly fields: readonly Field[] }
  readonly provenance: {
    readonly title: string
    readonly listsTitle: string
    readonly lists: Table
    readonly fields: readonly Field[]
    readonly howToCheck: readonly string[]
  }
}
