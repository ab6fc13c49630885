/** The words that a decision compares. They are open in events and reports: a reader tolerates words it does not know. */

export const riskCategories = ['sanctions', 'darknet', 'mixer', 'scam', 'stolen'] as const
export type RiskCategory = (typeof riskCategories)[number]
export const categories = [...riskCategories, 'clean_exchange'] as const
export type Category = (typeof categories)[number]

export type RiskLevel = 'green' | 'orange' | 'red' | 'grey'

/**
 * What the entity has to do with the address.
 * `owner` controls it; `participant` used a service; `disputed`: the attribution or the guilt is contested;
 * `infrastructure`: a contract that belongs to a service without doing its work, such as its token.
 */
export const roles = ['owner', 'participant', 'disputed', 'infrastructure'] as const
export type Role = (typeof roles)[number]
