/** A step of an installation: it says what it would change before it changes anything. */
export interface Step {
  readonly name: string
  /** Whether it appends to the log, or speaks of what the log has. By default it does not. */
  readonly usesLog?: true
  /** One sentence for each change that is needed; empty where everything is in place. Changes nothing. */
  readonly needed: () => Promise<readonly string[]>
  /** Makes the changes; resolves to what it did. */
  readonly make: (needed: readonly string[]) => Promise<readonly string[]>
}
